import BadHost

run_bad_host("Good")
