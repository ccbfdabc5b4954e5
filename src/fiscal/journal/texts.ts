/** The words of the receipt in each language (protocol facts, section 6). */
import type { ReceiptLanguage } from "../language.js";
import { inLatin } from "../latin.js";
import type { Layout } from "./layout.js";

const CYRILLIC = {
  /** `messages` of the answer. */
  success: "Success",
  title: "ФИСКАЛНИ РАЧУН",
  footer: "КРАЈ ФИСКАЛНОГ РАЧУНА",
  /** In the first and last line of Copy, Proforma and Training, and after their payments. */
  notFiscal: "ОВО НИЈЕ ФИСКАЛНИ РАЧУН",
  tin: "ПИБ:",
  businessName: "Предузеће:",
  locationName: "Место продаје:",
  address: "Адреса:",
  district: "Општина:",
  cashier: "Касир:",
  buyerId: "ИД купца:",
  buyerCostCenterId: "Опционо поље купца:",
  posNumber: "ЕСИР број:",
  posTime: "ЕСИР време:",
  referentNumber: "Реф. број:",
  referentTime: "Реф. време:",
  invoiceType: { Normal: "ПРОМЕТ", Proforma: "ПРЕДРАЧУН", Copy: "КОПИЈА", Training: "ОБУКА", Advance: "АВАНС" },
  transactionType: { Sale: "ПРОДАЈА", Refund: "РЕФУНДАЦИЈА" },
  items: "Артикли",
  itemHeader: "Назив   Цена         Кол.         Укупно",
  total: { Sale: "Укупан износ:", Refund: "Укупна рефундација:" },
  payment: {
    Other: "Друго безготовинско плаћање:",
    Cash: "Готовина:",
    Card: "Платна картица:",
    Check: "Чек:",
    WireTransfer: "Пренос на рачун:",
    Voucher: "Ваучер:",
    MobileMoney: "Инстант плаћање:",
  },
  change: "Повраћај:",
  taxHeader: "Ознака       Име      Стопа        Порез",
  totalTax: "Укупан износ пореза:",
  sdcTime: "ПФР време:",
  sdcNumber: "ПФР број рачуна:",
  counter: "Бројач рачуна:",
};

/** `change` is a line of the header form `labelled`; the vendor's form in English has none. */
export type JournalTexts = Readonly<Omit<typeof CYRILLIC, "change"> & Partial<Pick<typeof CYRILLIC, "change">>>;

const ENGLISH: JournalTexts = {
  success: "Success",
  title: "FISCAL INVOICE",
  footer: "END OF FISCAL INVOICE",
  notFiscal: "THIS IS NOT A FISCAL INVOICE",
  tin: "TIN:",
  businessName: "Company:",
  locationName: "Store:",
  address: "Address:",
  district: "District:",
  cashier: "Cashier TIN:",
  buyerId: "Buyer TIN:",
  buyerCostCenterId: "Buyers Cost Center:",
  posNumber: "POS Number:",
  posTime: "POS Time:",
  referentNumber: "Ref No:",
  referentTime: "Ref DT:",
  invoiceType: { Normal: "NORMAL", Proforma: "PROFORMA", Copy: "COPY", Training: "TRAINING", Advance: "ADVANCE" },
  transactionType: { Sale: "SALE", Refund: "REFUND" },
  items: "Items",
  itemHeader: "Name    Price        Qty.          Total",
  total: { Sale: "Total Purchase:", Refund: "Total Refund:" },
  payment: {
    Other: "Other:",
    Cash: "Cash:",
    Card: "Card:",
    Check: "Check:",
    WireTransfer: "Wire Transfer:",
    Voucher: "Voucher:",
    MobileMoney: "Mobile Money:",
  },
  taxHeader: "Label        Name     Rate           Tax",
  totalTax: "Total Tax:",
  sdcTime: "SDC Time:",
  sdcNumber: "SDC Invoice No:",
  counter: "Invoice Counter:",
};

const JOURNAL_TEXTS: Record<ReceiptLanguage, JournalTexts> = {
  "sr-Cyrl-RS": CYRILLIC,
  "sr-Latn-RS": inLatin(CYRILLIC),
  "en-US": ENGLISH,
};

/** The words of Republika Srpska's devices. Receipts in Latin script are not known. */
const NARROW: JournalTexts = {
  ...CYRILLIC,
  success: "Успјешно",
  itemHeader: "Назив  Цијена        Кол.       Укупно",
  taxHeader: "Ознака    Назив    Стопа         Порез",
  sdcNumber: "ПФР бр.рач:",
};
const NARROW_TEXTS: typeof JOURNAL_TEXTS = {
  ...JOURNAL_TEXTS,
  "sr-Cyrl-RS": NARROW,
  "sr-Latn-RS": inLatin(NARROW),
};

export function journalTexts(language: ReceiptLanguage, { isNarrow }: Pick<Layout, "isNarrow">): JournalTexts {
  return (isNarrow ? NARROW_TEXTS : JOURNAL_TEXTS)[language];
}
