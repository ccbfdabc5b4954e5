/** The texts of the doctor's lines in Serbian, in Cyrillic letters. */
import type { LineKey } from "./lines-english.js";

export const SERBIAN_LINES: Readonly<Record<LineKey, string>> = {
  program: "tillseal {version}, Node {node}",
  card: "{uid}, {shop}, ПИБ {tin}, аплет {applet}",
  valid: "важи од {from} до {to}",
  notYetValid: "важи од {from} до {to}, а сат показује {now}",
  amounts: "од последњег очитавања потписано {sum}, лимит {limit}",
  ratesOfFile: "окружење {name}, из датотеке {file}",
  ratesSent: "окружење {name}, које је послала пореска управа{values} ({time})",
  ratesImported: "окружење {name}, из увезене датотеке{values} ({time})",
  ratesRestored: "окружење {name}, из враћене резервне копије{values} ({time})",
  authorityAnswers: "одговорила је у {time}",
  authorityNotAsked: "тренутно се не пита",
  authorityFails: "није одговорила у {time}: {reason}",
  clockDiffers: "у {time} разликовао се {seconds} s од {server}",
  clockAgrees: "у {time} слагао се са {server}, разлика је била {seconds} s",
  clockUnknown: "у {time} {server} није био доступан: {reason}",
  noPackageRefused: "ово складиште не зна ни за један одбијен пакет",
  packagesRefused:
    "пореска управа је одбила пакете: {count}, први {number} ({time}): {reason}; пошаљите их поново командом tillseal audit now, или их упишите на стик командом tillseal audit export",
  folderIsFile: "{folder} је датотека; изаберите фасциклу",
  folderReadOnly: "у {folder} није могуће писати; дајте фасциклу кориснику који покреће сервис",
  folderNotYet: "{folder} настаје при првом покретању",
  folderOpen: "{folder} је доступна другим корисницима овог рачунара; покрените chmod 700 над њом",
  folderWritable: "у {folder} је могуће писати",
  folderPrivate: "у {folder} је могуће писати, а други је не могу читати",
  folderRightsUnknown: "у {folder} је могуће писати; icacls није рекао ко је још може читати",
  folderOpenTo: "{folder} је доступна за {groups}; уклоните им приступ као администратор: {command}",
  freeSpace: "{megabytes} MiB слободно за {folder}",
  noStore: "још га нема; настаје при првом покретању",
  olderStore: "{file} је из старије верзије tillseal; прво покретање ове верзије га надограђује",
  storeInMemory: "у меморији, док се сервис не заустави",
  noReceipt: "у складишту нема потписаних рачуна; уноса: {entries}",
  undamaged: "уноса: {entries}, најновији рачун је од {time}; неоштећених међу најновијима: {checked}",
  damaged: "уноса: {entries}, оштећених међу најновијима: {bad}. Покрените tillseal verify и чувајте резервне копије",
  oneDisk: "сервис не прави резервне копије: у backupFolder упишите фасциклу на другом диску",
  backupUnreadable: "{folder} се не може прочитати ({reason}): направите фасциклу, или прикључите њен диск",
  noBackup: "{folder} нема исправну резервну копију овог складишта са датумом пре {now}",
  backup: "последња исправна резервна копија је од {time}, пре {hours} h: {file} (проверена у {checked})",
  backupUnread:
    "последња резервна копија је од {time}, пре {hours} h: {file} (заглавље и величина су исправни; SQLite је није прочитао)",
  backupLate:
    "последња резервна копија која се рачуна је од {time}, пре {hours} h: {file}. Копија се прави сваких {due} h: погледајте лог сервиса",
  backupsAhead:
    "резервне копије са датумом у будућности: {count}, последња је {file}. Сат је ишао унапред када су направљене, или сада касни. Не рачунају се и не бришу се: проверите сат, и уклоните их када вам не требају",
};
