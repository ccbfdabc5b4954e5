/**
 * Serbian titles of the situations that come with the emulator, by their English titles. Titles of other scenarios are
 * not translated.
 */
export const SITUATION_TITLES: Readonly<Record<string, string>> = {
  "A POS that gets no answer repeats the sale with the same RequestId":
    "Програм касе који не добије одговор понавља продају са истим RequestId",
  "A POS that sells online while the card is out returns to the card, and sells nothing twice":
    "Програм касе који продаје онлајн док картице нема враћа се на картицу и ништа не продаје двапут",
  "A POS sells online while the card is out, and with the card again afterwards":
    "Програм касе продаје онлајн док картице нема, а после опет са картицом",
  "The online service refuses, is gone, or loses an answer; afterwards it signs":
    "Онлајн сервис одбија, не одговара или изгуби одговор; после тога потписује",
  "Without the right PAC, the online service signs nothing": "Без исправног PAC онлајн сервис ништа не потписује",
  "After 2220, a POS repeats the sale with the same RequestId until it has an answer":
    "После 2220 програм касе понавља продају са истим RequestId док не добије одговор",
  "A POS takes the labels from the service, also Cyrillic ones": "Програм касе узима ознаке од сервиса, и ћириличне",
  "A POS asks for the labels again after midnight": "Програм касе после поноћи поново пита за ознаке",
  "A POS prints no receipt for a sale that was refused": "Програм касе не штампа рачун за продају која је одбијена",
  "Status warns at 90 % of the sales that may wait for the authority; at 100 % sales stop until an audit":
    "Од 90 % продаја које смеју да чекају статус упозорава, са свима продаја стаје, а очитавање је пушта даље",
  "Sales go on while the authority is down; their audit packages are sent when it is back":
    "Док је пореска управа недоступна, продаја иде даље; потписано се шаље кад се она врати",
  "An audit starts and ends automatically at the configured share of the limit":
    "При свом делу лимита очитавање почиње и завршава се само",
  "A card without internet is audited with a USB stick and sells again":
    "Без интернета се картица очитава преко стика и поново продаје",
  "Commands that arrive twice or in another order configure the card once":
    "Команде које стигну двапут, или другим редом, подешавају картицу једном",
  "Attention answers in every state of the card and of the authority":
    "attention одговара у сваком стању картице и пореске управе",
  "An expired token is replaced, and the till does not notice": "Истекли токен се замењује, а каса то не примети",
  "Commands for another card are ignored": "Команде за другу картицу се прескачу",
  "A service that is killed during an audit continues it after a restart":
    "Сервис угашен силом током очитавања наставља очитавање",
  "Sales go on during a local audit, and they stay in the sum":
    "Продаја иде даље док је стик на путу, и остаје у збиру",
  "Sales go on while the authority prepares a proof, and they stay in the sum":
    "Продаја иде даље док управа припрема доказ, и остаје у збиру",
  "A card whose counter and sum were set by hand can still be audited":
    "Картица чији су бројач и збир постављени ручно ипак може да се очита",
  "Status warns at 90 % of the sales that may wait for a proof of audit; without an authority sales go on":
    "Од 90 % продаја које смеју да чекају доказ о очитавању статус упозорава; без пореске управе продаја иде даље",
  "A command that the service does not know is reported as failed, and nothing changes":
    "Команда коју сервис не познаје пријављује се као неуспела, и ништа се не мења",
  "The authority configures a card, the card stops at its limit, is audited, and sells again":
    "Управа подеси картицу, картица стане на лимиту, очита се и поново продаје",
  "A wrong proof changes nothing, and the next proof ends the audit":
    "Погрешан доказ ништа не мења, а следећи је исправан",
  "A card as slow as a real one signs": "Картица спора као права потписује",
  "Without a card every endpoint except attention answers 1300": "Без картице свака тачка осим attention каже 1300",
  "Without tax rates and environment no invoice is signed": "Без пореских стопа и окружења ништа се не продаје",
  "After a swap the card of another taxpayer signs for that taxpayer":
    "Картица замењена картицом другог обвезника потписује за њега",
  "A card with an unknown protocol gives 2230": "Картица чији протокол није познат је 2230",
  "Status warns at 75 % of the limit; one sale crosses it, sales stop, and an audit clears the sum":
    "Статус упозорава на 75 % лимита; једна продаја га пређе, продаја стаје, а очитавање брише збир",
  "Without a connection to the authority sales go on until the card reaches its limit":
    "Без везе са управом продаја иде до лимита, и ту стаје",
  "A locked card answers 2110 to every PIN": "Закључана картица на сваки ПИН одговара 2110",
  "A wrong PIN is HTTP 423 if the authority requires it": "Где управа то тражи, погрешан ПИН је HTTP 423",
  "A wrong PIN is 2100, and the last attempt locks the card with 2110":
    "Погрешан ПИН је 2100, а последњи покушај закључава картицу са 2110",
  "After an unusable answer the service asks the card again, and the sale succeeds: garbage":
    "Картица чији одговор није употребљив пита се поново, и продаја се добро завршава: насумични бајтови",
  "After an unusable answer the service asks the card again, and the sale succeeds: short":
    "Картица чији одговор није употребљив пита се поново, и продаја се добро завршава: прекинут одговор",
  "After an unusable answer the service asks the card again, and the sale succeeds: noAnswer":
    "Картица чији одговор није употребљив пита се поново, и продаја се добро завршава: нема одговора",
  "No sale is lost if the card is pulled out during a sale: before it has signed":
    "Картица извађена усред продаје ништа не губи: пре него што је потписала",
  "No sale is lost if the card is pulled out during a sale: after it has signed":
    "Картица извађена усред продаје ништа не губи: пошто је потписала",
  "The till gets a lost answer when it asks again: no byte of it arrived":
    "Одговор изгубљен на путу ту је кад каса пита поново: ништа није стигло",
  "The till gets a lost answer when it asks again: half of it arrived":
    "Одговор изгубљен на путу ту је кад каса пита поново: стигла је половина",
  "A counter that went back is reported; a number that two receipts share identifies neither":
    "Бројач који се вратио уназад пријављује се, а број који означава два рачуна не именује ниједан",
  "A full disk gives 1999, and no signed invoice is lost: before the card signs":
    "Пун диск је 1999, и оно што је картица потписала није изгубљено: пре него што је картица потписала",
  "A full disk gives 1999, and no signed invoice is lost: after the card has signed":
    "Пун диск је 1999, и оно што је картица потписала није изгубљено: пошто је картица потписала",
  "A sale that arrives when the queue is full gets 503 and is not signed":
    "Од више продаја него што сме да чека картицу, једна добија 503 и не потписује се",
  "A RequestId has at most 32 characters, or 36 if so configured: a UUID with hyphens is refused":
    "RequestId има највише 32 знака, или 36 где је тако подешено: UUID са цртицама се одбија",
  "A RequestId has at most 32 characters, or 36 if so configured: a UUID with hyphens is accepted":
    "RequestId има највише 32 знака, или 36 где је тако подешено: UUID са цртицама се прима",
  "A signature that the card cannot repeat is reported as lost; the invoice is never signed twice":
    "Потпис који картица не може поново да каже пријављује се као изгубљен, никад се не потписује двапут",
  "Invoices that the card counted but the store does not have are reported, and sales go on":
    "Рачуни које је картица избројала, а складиште их нема, пријављују се, и радња продаје даље",
  "A refund refers to its sale, a copy to its original, and every number is used once":
    "Рефундација показује на своју продају, копија на оригинал, и сваки број се даје једном",
  "A test invoice gives 2400 if test invoices are switched off": "Пробни рачун који је искључен је 2400",
  "A card whose certificate has expired refuses with 2809": "Картица чији је сертификат истекао одбија са 2809",
  "A card whose certificate expires within 30 days still signs, and status shows 9011":
    "Картица чији сертификат истиче у року од 30 дана још продаје, а статус каже 9011",
  "If the clock is an hour ahead of the time server, status warns with 9009 and sales go on":
    "На сат који је испред сервера времена за један сат упозорава 9009, а каса продаје",
  "The service signs with its own time, and follows a clock that is set back":
    "Сервис потписује своје време, и прати сат који се врати уназад",
  "Without a verified PIN status shows the card, and no invoice is signed":
    "Статус показује картицу без унетог ПИН-а, и ништа се не продаје",
};
