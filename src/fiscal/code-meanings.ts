/** Meanings of the codes in the languages of tills and shopkeepers. A translation changes only the sentence. */
import { describeCode, FISCAL_CODES, type FiscalCode } from "./codes.js";
import { toLatin } from "./latin.js";

export type MeaningLanguage = "en" | "sr-Cyrl" | "sr-Latn";

const SERBIAN: Readonly<Record<FiscalCode, string>> = {
  "0000": "Све је у реду",
  "0100": "ПИН је проверен",
  "0210": "Пореска управа је доступна",
  "0220": "Пореска управа није доступна",
  "1100": "Складиште непослатих пакета за очитавање је попуњено 90 %",
  "1300": "Картица није у читачу",
  "1400": "Потребно је очитавање",
  "1500": "Потребан је ПИН",
  "1999": "Друго упозорење, погледајте mssc или details",
  "2100": "Погрешан ПИН",
  "2110": "Картица је закључана: нема више покушаја за ПИН",
  "2210":
    "Безбедносни елемент је закључан: лимит износа је достигнут, пореска управа је искључила потписивање, или је бројач рачуна на картици потрошен",
  "2220": "Безбедносни елемент не одговара",
  "2230": "Протокол картице није подржан",
  "2310": "Неважеће пореске ознаке",
  "2400": "Није подешено",
  "2800": "Недостаје обавезно поље",
  "2801": "Вредност је предугачка",
  "2802": "Вредност је прекратка",
  "2803": "Вредност нема исправну дужину",
  "2804": "Вредност је ван опсега",
  "2805": "Неважећа вредност",
  "2806": "Неисправан облик",
  "2807": "Листа има премало ставки",
  "2808": "Листа има превише ставки",
  "2809": "Време рачуна је ван важења сертификата картице",
};

const LATIN = Object.fromEntries(FISCAL_CODES.map((code) => [code, toLatin(SERBIAN[code])])) as typeof SERBIAN;

export function meaningOfCode(code: FiscalCode, language: MeaningLanguage): string {
  if (language === "en") return describeCode(code).meaning;
  return language === "sr-Cyrl" ? SERBIAN[code] : LATIN[code];
}
