/** What is wrong in a request, in Serbian under its English template. Values are the same in both scripts. */
import type { MeaningLanguage } from "../fiscal/code-meanings.js";
import { toLatin } from "../fiscal/latin.js";
import { type FiscalError, spelled } from "../fiscalizer/fiscal-error.js";

const SERBIAN: Readonly<Record<string, string>> = {
  "{property} is required": "{property} недостаје",
  "The body": "Тело захтева",
  "{property} must be an object; PHP sends an empty array as []: leave the field out":
    "{property} мора бити објекат; PHP шаље празан низ као []: изоставите то поље",
  "{property} must be a list; PHP sends a list with keys as an object: use array_values()":
    "{property} мора бити листа; PHP шаље листу са кључевима као објекат: користите array_values()",
  "{property} must be {type}": "{property} мора бити {type}",
  string: "текст",
  array: "листа",
  object: "објекат",
  boolean: "true или false",
  "{property} must be one of {allowed}": "{property} мора бити једно од: {allowed}",
  "{property} must be printable ASCII: the card takes ASCII":
    "{property} сме да има само штампиве знаке ASCII: картица прима ASCII",
  "{property} needs a visible character": "{property} мора да има бар један видљив знак",
  "{property} has characters or a form that is not allowed": "{property} има знаке или облик који нису дозвољени",
  "{property} must be from {first} to {last}": "{property} мора бити од {first} до {last}",
  "{property} must be from {first} to {last} on a clock in the shop, which shows {printed}":
    "{property} мора бити од {first} до {last} на сату у продавници, који показује {printed}",
  "{property} must be a time that exists, such as {example}": "{property} мора бити постојеће време, као {example}",
  "{property} must NOT have more than {limit} characters": "{property} има превише знакова: највише {limit}",
  "{property} must NOT have fewer than {limit} characters": "{property} има премало знакова: најмање {limit}",
  "{property} must NOT have fewer than {limit} items": "{property} има премало ставки: најмање {limit}",
  "{property} must be a number": "{property} мора бити број",
  "{property} has more than {digits} digits before the decimal point":
    "{property} има више од {digits} цифара пре децималне тачке",
  "{property} must not be negative": "{property} не сме бити мање од 0",
  "{property} must be at least {least}": "{property} мора бити најмање {least}",
  "{property} is {sent}: round to {decimals} decimals before sending":
    "{property} је {sent}: заокружите на {decimals} децимале пре слања",
  "{property} has {count} entries, at most {most} are allowed": "{property} има ставки: {count}, највише {most}",
  "{property} occurs twice, in different spelling": "{property} се појављује двапут, различито написано",
  "{property}: {label} is not one of the labels {labels}{hint}": "{property}: ознака {label} није међу {labels}{hint}",
  ". It is {script}{letter}; this environment has {otherScript}{other}":
    ". То је {script}{letter}; ово окружење има {otherScript}{other}",
  "Cyrillic ": "ћирилично ",
  "Greek ": "грчко ",
  "Latin ": "латинично ",
  "The invoice has the form of version 2 of the interface (IT, TT, PaymentType): send version 3, with invoiceType, transactionType and payment":
    "Рачун има облик верзије 2 интерфејса (IT, TT, PaymentType): пошаљите верзију 3, са пољима invoiceType, transactionType и payment",
  "The invoice is inside {property}: post its content alone, as the body":
    "Рачун је у пољу {property}: пошаљите само његов садржај, као тело захтева",
  "The total of the items is negative": "Збир ставки је негативан",
  "The total of the items is too large for the card": "Збир ставки је превелик за картицу",
  "The tax of one category is negative or too large for the card": "Порез категорије је негативан или превелик",
  "referentDocumentDT is required for Copy and Refund": "referentDocumentDT је обавезан за Copy и Refund",
  "referentDocumentDT is more than a day in the future: {sent}, but the clock says {clock}; check the clocks":
    "referentDocumentDT је више од једног дана у будућности: {sent}, а сат показује {clock}; проверите сатове",
  "No tax rates were valid at referentDocumentDT": "За време у referentDocumentDT нема важећих пореских стопа",
  "The card's certificate is valid from {from} to {to}, but the clock says {now}":
    "Сертификат картице важи од {from} до {to}, а сат показује {now}",
  "The items have more tax categories than the card accepts": "Ставке имају превише пореских категорија за картицу",
  "The card refused the invoice's tax data": "Картица је одбила пореске податке рачуна",
  "The time of the invoice is outside the validity of the card's certificate": "Време рачуна је ван важења сертификата",
  "This RequestId was used for another invoice{different}. GET {path} returns the receipt of the first one: repeat an invoice without a change, and give a new sale a new RequestId":
    "Овај RequestId је већ употребљен за други рачун{different}. GET {path} враћа рачун прве продаје: поновите рачун без измене, а новој продаји дајте нови RequestId",
  "; they differ in {fields}": "; разликују се у пољима {fields}",
  "; they differ in {fields}, and more": "; разликују се у пољима {fields} и другим",
  "The receipt of this sale was erased. It is not signed again: use a new RequestId for a new sale":
    "Рачун ове продаје је обрисан. Не потписује се поново: за нову продају употребите нови RequestId",
  "RequestId occurs more than once: send one": "RequestId се појављује више пута: пошаљите један",
  "RequestId has characters other than printable ASCII": "RequestId има знаке који нису штампиви ASCII",
  "RequestId has {count} characters, at most {most} are allowed{advice}":
    "RequestId има знакова: {count}, а дозвољено је највише {most}{advice}",
  ": send the UUID without hyphens, or set requestIdLength to 36":
    ": пошаљите UUID без цртица, или поставите requestIdLength на 36",
  "This store has no invoice with this RequestId": "У складишту нема рачуна са овим RequestId",
  "This card has signed no invoice that the store knows": "У складишту нема рачуна који је потписала ова картица",
  "None of these languages is supported; supported are {languages}. A browser or a tablet sends its own Accept-Language unless the program sets the header":
    "Ниједан од ових језика није подржан; подржани су {languages}. Прегледач или таблет шаље свој Accept-Language ако програм не постави то заглавље",
  "The body is not valid UTF-8": "Тело захтева није исправан UTF-8",
  "The body must be sent with Content-Type: application/json": "Тело мора имати Content-Type: application/json",
  "The Content-Encoding is not supported; send the body without one":
    "Content-Encoding није подржан; пошаљите тело захтева без њега",
  "The connection broke off in the middle of the body": "Веза је прекинута усред тела захтева",
  "The body is not JSON: {reason}": "Тело захтева није JSON: грешка је код знака {place}",
  "The body is not JSON": "Тело захтева није JSON",
  "The body is larger than 1048576 bytes": "Тело захтева је веће од 1048576 бајтова",
  "The body is nested deeper than 32 levels": "Тело захтева има више од 32 нивоа",
  "The body has more than 16000 values": "Тело захтева има више од 16000 вредности",
  "The JSON of the body is longer than 262144 characters": "JSON у телу захтева је дужи од 262144 знака",
  "The body of a test invoice must be empty or an object": "Тело пробног рачуна мора бити празно или објекат",
  "Expected {allowed}": "Очекује се једно од: {list}",
  "The request cannot be read: {reason}": "Захтев се не може прочитати",
  "There is nothing at this path; the interface is under {prefix}{near}":
    "На овој адреси нема ничега; интерфејс је под {prefix}{near}",
  "; did you mean {paths}?": "; да ли сте мислили {paths}?",
  "{method} is not allowed here; use {allowed}": "{method} овде није дозвољен; користите {allowed}",
  "This host name is not allowed; add it to the setting allowedHosts":
    "Ово име рачунара није дозвољено; додајте га у подешавање allowedHosts",
  "Web pages of this origin may not call; add it to the setting allowedOrigins":
    "Веб-странице са ове адресе не смеју да позивају; додајте је у подешавање allowedOrigins",
  "Web pages of another site may not call": "Веб-странице другог сајта не смеју да позивају",
  "Prefetches by browsers are refused": "Претходно учитавање из прегледача се одбија",
  "pin is required": "pin је обавезан",
  "pin occurs more than once": "pin се појављује више пута",
  "pin must be a text of digits": "pin мора бити текст од цифара",
};

/** Says in a language what is wrong. What has no sentence in Serbian, such as a state of the card, is in English. */
export function detailsIn(language: MeaningLanguage, { message, violations }: FiscalError): string {
  if (language === "en") return message;
  const script = language === "sr-Latn" ? toLatin : (text: string) => text;
  return violations.map((one) => spelled(one, (english) => script(SERBIAN[english] ?? english))).join("; ");
}
