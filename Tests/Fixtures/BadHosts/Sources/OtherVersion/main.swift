import BadHost

run_bad_host("OtherVersion")
