@echo off
rem A command line that knows the command `tillseal` and writes UTF-8 into files and pipes.
chcp 65001 >nul
set "PATH=%~dp0..;%PATH%"
cd /d "%USERPROFILE%"
echo tillseal status    shows the state of the till
echo tillseal doctor    says what is wrong, and what to do
echo tillseal --help    lists all commands
