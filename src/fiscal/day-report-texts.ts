/** The words of a printed day report that receipts do not have. */
import type { ReceiptLanguage } from "./language.js";
import { inLatin } from "./latin.js";

const CYRILLIC = {
  title: "ДНЕВНИ ИЗВЕШТАЈ",
  period: "Период:",
  printed: "Време штампе:",
  first: "Први број:",
  last: "Последњи број:",
  recapitulation: "РЕКАПИТУЛАЦИЈА",
  receipts: "Број рачуна:",
  sales: "Продаја:",
  salesTax: "Порез у продаји:",
  refunds: "Рефундација:",
  refundsTax: "Порез у рефундацији:",
  difference: "Разлика:",
  differenceTax: "Порез у разлици:",
  labels: "ПОРЕЗ ПО ОЗНАКАМА",
  payments: "НАЧИНИ ПЛАЋАЊА",
  /** Lines in the list of payments that are not payments of a receipt. */
  notPayments: { change: "Повраћај:", unpaid: "Није плаћено:", unknown: "Плаћање непознато:" },
  total: "Укупно:",
  kinds: "ВРСТЕ РАЧУНА",
  cashiers: "КАСИРИ",
  noCashier: "Без касира",
  days: "ПО ДАНИМА",
  apart: "НИЈЕ У ЗБИРУ",
  nothing: "У збиру нема рачуна.",
  withoutItems: "Познати само картици:",
  unreadable: "Оштећени, нису у збиру:",
  /** In files only. */
  hours: "ПО САТИМА",
  name: "Назив",
  category: "Категорија",
  rate: "Стопа",
};

export type DayReportTexts = Readonly<typeof CYRILLIC>;

const ENGLISH: DayReportTexts = {
  title: "DAY REPORT",
  period: "Period:",
  printed: "Printed:",
  first: "First number:",
  last: "Last number:",
  recapitulation: "RECAPITULATION",
  receipts: "Receipts:",
  sales: "Sales:",
  salesTax: "Tax in sales:",
  refunds: "Refunds:",
  refundsTax: "Tax in refunds:",
  difference: "Difference:",
  differenceTax: "Tax in difference:",
  labels: "TAX BY LABEL",
  payments: "PAYMENTS",
  notPayments: { change: "Change given:", unpaid: "Not paid:", unknown: "Payment unknown:" },
  total: "Total:",
  kinds: "KINDS OF RECEIPTS",
  cashiers: "CASHIERS",
  noCashier: "No cashier",
  days: "BY DAY",
  apart: "NOT IN THE TOTALS",
  nothing: "No receipts in the totals.",
  withoutItems: "Known to the card only:",
  unreadable: "Damaged, not in the totals:",
  hours: "BY HOUR",
  name: "Name",
  category: "Category",
  rate: "Rate",
};

export const DAY_REPORT_TEXTS: Readonly<Record<ReceiptLanguage, DayReportTexts>> = {
  "sr-Cyrl-RS": CYRILLIC,
  "sr-Latn-RS": inLatin(CYRILLIC),
  "en-US": ENGLISH,
};
