; The setup for shops. build.mjs gives VERSION, CONTENT (a folder) and OUTPUT. /S installs without asking anything; /downgrade
; allows to replace a newer version. docs/shop.md lists the exit statuses.
Unicode true
Target amd64-unicode
SetCompressor /SOLID lzma
RequestExecutionLevel admin
ManifestSupportedOS all

!include LogicLib.nsh
!include x64.nsh
!include WinVer.nsh
!include FileFunc.nsh
!include MUI2.nsh

Name "tillseal ${VERSION}"
OutFile "${OUTPUT}"
InstallDir "$PROGRAMFILES64\tillseal"
BrandingText "tillseal ${VERSION}"
ShowInstDetails show
ShowUninstDetails show

!define MUI_FINISHPAGE_TEXT "Put the card into the reader and open the console: http://localhost:8431"
!define MUI_FINISHPAGE_LINK "Open the console"
!define MUI_FINISHPAGE_LINK_LOCATION "http://localhost:8431/"
!insertmacro MUI_PAGE_DIRECTORY
!insertmacro MUI_PAGE_INSTFILES
!insertmacro MUI_PAGE_FINISH
!insertmacro MUI_UNPAGE_CONFIRM
!insertmacro MUI_UNPAGE_INSTFILES
!insertmacro MUI_LANGUAGE "English"

!define UNINSTALL "Software\Microsoft\Windows\CurrentVersion\Uninstall\tillseal"
!define DATA "$R9\tillseal"

Var failed

; Reads %ProgramData% into $R9.
!macro findData
  ReadEnvStr $R9 ProgramData
!macroend

; Runs service.mjs of the installed version, which prints what went wrong. The exit status is on the stack.
!macro service step
  nsExec::ExecToLog '"$INSTDIR\node.exe" "$INSTDIR\windows\service.mjs" ${step}'
!macroend

Function .onInit
  ${IfNot} ${RunningX64}
    MessageBox MB_ICONSTOP "tillseal needs a 64-bit Windows." /SD IDOK
    SetErrorLevel 2
    Quit
  ${EndIf}
  ; Node.js runs on no older Windows.
  ${IfNot} ${AtLeastWin10}
    MessageBox MB_ICONSTOP "tillseal needs Windows 10, Windows Server 2016 or later." /SD IDOK
    SetErrorLevel 2
    Quit
  ${EndIf}
  SetShellVarContext all
  SetRegView 64
  ; An upgrade goes where the installed version is.
  ReadRegStr $0 HKLM "${UNINSTALL}" "InstallLocation"
  ${If} $0 != ""
    StrCpy $INSTDIR $0
  ${EndIf}
FunctionEnd

; Runs before anything is changed. A newer version may have converted the store, so this version must first read it.
Function refuseOlder
  ReadRegStr $0 HKLM "${UNINSTALL}" "DisplayVersion"
  ${If} $0 == ""
    Return
  ${EndIf}
  InitPluginsDir
  SetOutPath "$PLUGINSDIR"
  File "${CONTENT}/windows/older.mjs"
  nsExec::ExecToLog '"$INSTDIR\node.exe" "$PLUGINSDIR\older.mjs" ${VERSION} $0'
  Pop $1
  ${If} $1 != 0
    Return
  ${EndIf}
  ClearErrors
  ${GetParameters} $1
  ${GetOptions} $1 "/downgrade" $2
  ${If} ${Errors}
    MessageBox MB_ICONSTOP "Version $0 is installed, and this is the older version ${VERSION}. Nothing was changed. To go back to it, run this setup with /downgrade." /SD IDOK
    SetErrorLevel 7
    Abort "A newer version is installed. Nothing was changed."
  ${EndIf}
  DetailPrint "Reading the store with version ${VERSION}"
  SetOutPath "$PLUGINSDIR\older"
  File /r "${CONTENT}/*"
  nsExec::ExecToLog '"$PLUGINSDIR\older\node.exe" "$PLUGINSDIR\older\windows\service.mjs" readable'
  Pop $1
  SetOutPath "$INSTDIR"
  RMDir /r "$PLUGINSDIR\older"
  ${If} $1 != 0
    MessageBox MB_ICONSTOP "Version ${VERSION} cannot read the store of version $0. Nothing was changed. See the details." /SD IDOK
    SetErrorLevel 8
    Abort "Version ${VERSION} cannot read the store. Nothing was changed."
  ${EndIf}
FunctionEnd

Section
  !insertmacro findData
  ${If} ${FileExists} "$INSTDIR\windows\service.mjs"
    Call refuseOlder
    DetailPrint "Stopping the service: it finishes its answers"
    !insertmacro service "stop"
    Pop $0
    ${If} $0 == 0
      DetailPrint "Backing up the store"
      !insertmacro service "backup"
      Pop $0
    ${EndIf}
    ${If} $0 != 0
      !insertmacro service "start"
      Pop $1
      MessageBox MB_ICONSTOP "The service could not be stopped, or the store could not be backed up. Nothing was changed. Run tillseal doctor, and see the details." /SD IDOK
      SetErrorLevel 3
      Abort "The service could not be stopped, or the store could not be backed up. Nothing was changed."
    ${EndIf}
    RMDir /r "$INSTDIR\app"
    RMDir /r "$INSTDIR\windows"
    ; A program that runs cannot be replaced, but it can be renamed: a command line may still have this one open.
    Delete "$INSTDIR\node.exe.old"
    Rename "$INSTDIR\node.exe" "$INSTDIR\node.exe.old"
    Delete /REBOOTOK "$INSTDIR\node.exe.old"
  ${EndIf}

  SetOutPath "$INSTDIR"
  File /r "${CONTENT}/*"
  WriteUninstaller "$INSTDIR\uninstall.exe"

  WriteRegStr HKLM "${UNINSTALL}" "DisplayName" "tillseal"
  WriteRegStr HKLM "${UNINSTALL}" "DisplayVersion" "${VERSION}"
  WriteRegStr HKLM "${UNINSTALL}" "Publisher" "tillseal"
  WriteRegStr HKLM "${UNINSTALL}" "InstallLocation" "$INSTDIR"
  WriteRegStr HKLM "${UNINSTALL}" "UninstallString" '"$INSTDIR\uninstall.exe"'
  WriteRegStr HKLM "${UNINSTALL}" "QuietUninstallString" '"$INSTDIR\uninstall.exe" /S'
  WriteRegDWORD HKLM "${UNINSTALL}" "NoModify" 1
  WriteRegDWORD HKLM "${UNINSTALL}" "NoRepair" 1

  CreateDirectory "$SMPROGRAMS\tillseal"
  WriteINIStr "$SMPROGRAMS\tillseal\tillseal console.url" "InternetShortcut" "URL" "http://localhost:8431/"
  WriteINIStr "$DESKTOP\tillseal.url" "InternetShortcut" "URL" "http://localhost:8431/"
  CreateShortcut "$SMPROGRAMS\tillseal\tillseal command line.lnk" "$SYSDIR\cmd.exe" '/k ""$INSTDIR\windows\shell.cmd""'

  DetailPrint "Starting the service"
  !insertmacro service "install"
  Pop $failed
  ${If} $failed != 0
    DetailPrint "The files are installed, but the service is not. See the error above, then run $INSTDIR\windows\service.mjs install."
    MessageBox MB_ICONEXCLAMATION "tillseal is installed, but it does not start with Windows. See the details." /SD IDOK
    SetErrorLevel 4
    Return
  ${EndIf}
  DetailPrint "Waiting for the service, up to 60 s"
  !insertmacro service "wait"
  Pop $failed
  ${If} $failed != 0
    DetailPrint "The files are installed, and Windows goes on starting the service. Correct what the details name, then run $INSTDIR\windows\start.cmd and tillseal doctor."
    MessageBox MB_ICONEXCLAMATION "tillseal is installed, but the service does not answer. See the details and ${DATA}\log\start.log, then run tillseal doctor." /SD IDOK
    SetErrorLevel 6
  ${EndIf}
SectionEnd

Function un.onInit
  SetShellVarContext all
  SetRegView 64
FunctionEnd

Section "Uninstall"
  !insertmacro findData
  !insertmacro service "unsent"
  Pop $0
  StrCpy $3 "uninstall --anyway"
  ClearErrors
  ${GetParameters} $1
  ${GetOptions} $1 "/anyway" $2
  ${If} ${Errors}
    StrCpy $3 "uninstall"
    SetErrors
  ${EndIf}
  ${If} $0 != 0
  ${AndIf} ${Errors}
    MessageBox MB_YESNO|MB_ICONEXCLAMATION|MB_DEFBUTTON2 "Some receipts may not have reached the tax authority. See the details, and the page docs\restore.md. Remove tillseal all the same?" /SD IDNO IDYES remove
    SetErrorLevel 5
    Abort "Nothing was removed."
    remove:
  ${EndIf}
  DetailPrint "Stopping the service: it finishes its answers"
  !insertmacro service $3
  Pop $0
  ${If} $0 != 0
    SetErrorLevel 3
    Abort "The service could not be stopped. See the details. Nothing was removed."
  ${EndIf}
  RMDir /r "$INSTDIR\app"
  RMDir /r "$INSTDIR\windows"
  Delete /REBOOTOK "$INSTDIR\node.exe"
  Delete /REBOOTOK "$INSTDIR\node.exe.old"
  Delete "$INSTDIR\NODE-LICENSE.txt"
  Delete "$INSTDIR\LICENSE.txt"
  Delete "$INSTDIR\tillseal.cmd"
  Delete "$INSTDIR\uninstall.exe"
  RMDir "$INSTDIR"
  RMDir /r "$SMPROGRAMS\tillseal"
  Delete "$DESKTOP\tillseal.url"
  DeleteRegKey HKLM "${UNINSTALL}"
  DetailPrint "Your receipts and settings stay in ${DATA}"
  MessageBox MB_ICONINFORMATION "tillseal was removed. Your receipts and settings stay in ${DATA}." /SD IDOK
SectionEnd
