/** Titles of the situations that come with the emulator, in Serbian; scenarios of other people keep their own words. */
export const SITUATION_TITLES: Readonly<Record<string, string>> = {
  "From 90 % of the sales that may wait status warns, with all of them sales stop, and an audit lets them go on":
    "Од 90 % продаја које смеју да чекају статус упозорава, са свима продаја стаје, а очитавање је пушта даље",
  "While the authority is down, sales go on; what was signed is sent when it is back":
    "Док је пореска управа недоступна, продаја иде даље; потписано се шаље кад се она врати",
  "At its share of the limit an audit starts and ends without being asked for":
    "При свом делу лимита очитавање почиње и завршава се само",
  "Without internet a card is audited by a stick, and sells again":
    "Без интернета се картица очитава преко стика и поново продаје",
  "Commands that come twice, or in another order, configure the card once":
    "Команде које стигну двапут, или другим редом, подешавају картицу једном",
  "A token that has expired is replaced without a word to the till": "Истекли токен се замењује, а каса то не примети",
  "Commands for another card are ignored": "Команде за другу картицу се прескачу",
  "A service that is killed during an audit goes on with it": "Сервис угашен силом током очитавања наставља очитавање",
  "Sales go on while a stick is on its way, and stay in the sum":
    "Продаја иде даље док је стик на путу, и остаје у збиру",
  "Sales go on while the authority works at a proof, and stay in the sum":
    "Продаја иде даље док управа припрема доказ, и остаје у збиру",
  "A card whose counter and sum were set by hand can still be audited":
    "Картица чији су бројач и збир постављени ручно ипак може да се очита",
  "From 90 % of the sales that may wait for a proof of audit, status warns; without an authority sales go on":
    "Од 90 % продаја које смеју да чекају доказ о очитавању статус упозорава; без пореске управе продаја иде даље",
  "A command that the service does not know is reported as failed, and nothing changes":
    "Команда коју сервис не познаје пријављује се као неуспела, и ништа се не мења",
  "The authority configures a card, the card stops at its limit, is audited, and sells again":
    "Управа подеси картицу, картица стане на лимиту, очита се и поново продаје",
  "A wrong proof changes nothing, and the next one is right": "Погрешан доказ ништа не мења, а следећи је исправан",
  "A card that is as slow as a real one signs": "Картица спора као права потписује",
  "Without a card every endpoint but attention says 1300": "Без картице свака тачка осим attention каже 1300",
  "Without tax rates and environment nothing is sold": "Без пореских стопа и окружења ништа се не продаје",
  "A card swapped for another taxpayer's signs for that taxpayer":
    "Картица замењена картицом другог обвезника потписује за њега",
  "A card whose protocol is not known is 2230": "Картица чији протокол није познат је 2230",
  "Status warns at 75 % of the limit; one sale crosses it, sales stop, and an audit clears the sum":
    "Статус упозорава на 75 % лимита; једна продаја га пређе, продаја стаје, а очитавање брише збир",
  "Without a connection to the authority sales go on until the limit, and stop there":
    "Без везе са управом продаја иде до лимита, и ту стаје",
  "A locked card answers 2110 to every PIN": "Закључана картица на сваки ПИН одговара 2110",
  "Where an authority asks for it, a wrong PIN is HTTP 423": "Где управа то тражи, погрешан ПИН је HTTP 423",
  "A wrong PIN is 2100, and the last try locks the card with 2110":
    "Погрешан ПИН је 2100, а последњи покушај закључава картицу са 2110",
  "A card whose answer cannot be used is asked again, and the sale ends well: garbage":
    "Картица чији одговор није употребљив пита се поново, и продаја се добро завршава: насумични бајтови",
  "A card whose answer cannot be used is asked again, and the sale ends well: short":
    "Картица чији одговор није употребљив пита се поново, и продаја се добро завршава: прекинут одговор",
  "A card whose answer cannot be used is asked again, and the sale ends well: noAnswer":
    "Картица чији одговор није употребљив пита се поново, и продаја се добро завршава: нема одговора",
  "A card pulled out in the middle of a sale loses nothing: before it has signed":
    "Картица извађена усред продаје ништа не губи: пре него што је потписала",
  "A card pulled out in the middle of a sale loses nothing: after it has signed":
    "Картица извађена усред продаје ништа не губи: пошто је потписала",
  "An answer that was lost on its way is there when the till asks again: nothing of it came":
    "Одговор изгубљен на путу ту је кад каса пита поново: ништа није стигло",
  "An answer that was lost on its way is there when the till asks again: half of it came":
    "Одговор изгубљен на путу ту је кад каса пита поново: стигла је половина",
  "A counter that went back is reported, and a number that stands for two receipts names neither":
    "Бројач који се вратио уназад пријављује се, а број који означава два рачуна не именује ниједан",
  "A full disk is 1999, and what the card has signed is not lost: before the card is asked":
    "Пун диск је 1999, и оно што је картица потписала није изгубљено: пре него што је картица питана",
  "A full disk is 1999, and what the card has signed is not lost: after the card has signed":
    "Пун диск је 1999, и оно што је картица потписала није изгубљено: пошто је картица потписала",
  "Of more sales than may wait for the card, one gets 503 and is not signed":
    "Од више продаја него што сме да чека картицу, једна добија 503 и не потписује се",
  "A RequestId has at most 32 characters, or 36 where so configured: a UUID with hyphens is refused":
    "RequestId има највише 32 знака, или 36 где је тако подешено: UUID са цртицама се одбија",
  "A RequestId has at most 32 characters, or 36 where so configured: a UUID with hyphens is taken":
    "RequestId има највише 32 знака, или 36 где је тако подешено: UUID са цртицама се прима",
  "A signature that the card cannot tell again is reported as lost, never signed twice":
    "Потпис који картица не може поново да каже пријављује се као изгубљен, никад се не потписује двапут",
  "Invoices that the card has counted and the store does not have are reported, and the shop sells on":
    "Рачуни које је картица избројала, а складиште их нема, пријављују се, и радња продаје даље",
  "A refund points to its sale, a copy to its original, and every number is given once":
    "Рефундација показује на своју продају, копија на оригинал, и сваки број се даје једном",
  "A test invoice that is switched off is 2400": "Пробни рачун који је искључен је 2400",
  "A card whose certificate has ended refuses with 2809": "Картица чији је сертификат истекао одбија са 2809",
  "A card whose certificate ends within 30 days still sells, and status says 9011":
    "Картица чији сертификат истиче у року од 30 дана још продаје, а статус каже 9011",
  "A clock that is an hour ahead of the time server's is warned of with 9009, and the till sells":
    "На сат који је испред сервера времена за један сат упозорава 9009, а каса продаје",
  "The service signs its own time, and follows a clock that is set back":
    "Сервис потписује своје време, и прати сат који се врати уназад",
  "Status shows a card without a verified PIN, and nothing is sold":
    "Статус показује картицу без унетог ПИН-а, и ништа се не продаје",
};
