@echo off
rem The command tillseal, with the Node that lies beside it.
"%~dp0node.exe" "%~dp0app\dist\src\cli.js" %*
