/** The words of a printed day report that receipts do not have. */
import type { PaymentName } from "./day-report.js";
import type { ReceiptLanguage } from "./language.js";
import { inLatin } from "./latin.js";

export interface DayReportTexts {
  readonly title: string;
  readonly period: string;
  readonly printed: string;
  readonly first: string;
  readonly last: string;
  readonly recapitulation: string;
  readonly receipts: string;
  readonly sales: string;
  readonly salesTax: string;
  readonly refunds: string;
  readonly refundsTax: string;
  readonly difference: string;
  readonly differenceTax: string;
  readonly labels: string;
  readonly payments: string;
  /** Names of the lines in the list of payments that are not payments of a receipt. */
  readonly notPayments: Readonly<Record<Extract<PaymentName, "change" | "unpaid" | "unknown">, string>>;
  readonly total: string;
  readonly kinds: string;
  readonly cashiers: string;
  readonly noCashier: string;
  readonly days: string;
  readonly apart: string;
  readonly nothing: string;
  readonly withoutItems: string;
  readonly unreadable: string;
}

const CYRILLIC: DayReportTexts = {
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
  notPayments: { change: "Повраћај:", unpaid: "Није плаћено:", unknown: "Плаћање непознато:" },
  total: "Укупно:",
  kinds: "ВРСТЕ РАЧУНА",
  cashiers: "КАСИРИ",
  noCashier: "Без касира",
  days: "ПО ДАНИМА",
  apart: "НИЈЕ У ЗБИРУ",
  nothing: "Нема фискалних рачуна.",
  withoutItems: "Познати само картици:",
  unreadable: "Оштећени, нису у збиру:",
};

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
  nothing: "No fiscal receipts.",
  withoutItems: "Known to the card only:",
  unreadable: "Damaged, not in the totals:",
};

export const DAY_REPORT_TEXTS: Readonly<Record<ReceiptLanguage, DayReportTexts>> = {
  "sr-Cyrl-RS": CYRILLIC,
  "sr-Latn-RS": inLatin(CYRILLIC),
  "en-US": ENGLISH,
};
