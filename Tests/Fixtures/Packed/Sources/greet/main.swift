import Greeter

print(greeting("program"))
