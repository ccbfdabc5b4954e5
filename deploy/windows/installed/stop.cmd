@echo off
rem Stops the service after it has finished its answers. It starts again with Windows, or with start.cmd.
"%~dp0..\node.exe" "%~dp0service.mjs" stop
