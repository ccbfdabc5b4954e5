@echo off
rem A command line in which `tillseal` is a command, and Cyrillic is UTF-8 in files and pipes too.
chcp 65001 >nul
set "PATH=%~dp0..;%PATH%"
cd /d "%USERPROFILE%"
echo tillseal status    how the till stands
echo tillseal doctor    what is wrong, and what to do
echo tillseal --help    everything else
