import BadHost

run_bad_host("Twin1")
