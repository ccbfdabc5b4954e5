@echo off
rem The scheduled task runs this file (docs/shop.md). It runs the service until it is stopped (exit status 0).
rem After any other exit status it starts the service again, 3 seconds later.
setlocal
set "NODE_ENV=production"
set "folder=%ProgramData%\tillseal"
if not defined TILLSEAL_LOG_LEVEL set "TILLSEAL_LOG_LEVEL=info"
set "TILLSEAL_LOG_FILE=%folder%\log\tillseal.log"
if not exist "%folder%\log" mkdir "%folder%\log"
:serve
"%~dp0..\node.exe" "%~dp0..\app\dist\src\cli.js" serve --card pcsc --data-dir "%folder%" >"%folder%\log\start.log" 2>&1
set "status=%errorlevel%"
if "%status%"=="0" exit /b 0
>"%folder%\log\last-end.log" echo %date% %time% the service ended with %status%
rem timeout.exe needs a keyboard, which a task does not have.
ping -n 4 127.0.0.1 >nul
goto serve
