import CarrelCLI
import Glibc

exit(CarrelCommand.main(Array(CommandLine.arguments.dropFirst())))
