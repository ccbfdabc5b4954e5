/** Real verification URLs and the key that verifies two of them (fixtures/verification-urls.json). */
import { createPublicKey } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { PACKAGE_ROOT } from "../../src/base/package-root.js";

export interface RecordedUrl {
  readonly url: string;
  readonly about: string;
  readonly version: number;
  readonly requestedBy: string;
  readonly signedBy: string;
  readonly totalCounter: number;
  readonly transactionTypeCounter: number;
  readonly totalAmount: string;
  readonly dateTimeMs: number;
  readonly invoiceType: number;
  readonly transactionType: number;
  readonly buyerId: string;
  readonly md5Ok: boolean | null;
  readonly tin?: string;
  /** Hexadecimal. */
  readonly publicKeyModulus?: string;
}

export const RECORDED_URLS = JSON.parse(
  readFileSync(join(PACKAGE_ROOT, "fixtures", "verification-urls.json"), "utf8"),
) as [RecordedUrl, RecordedUrl, RecordedUrl, RecordedUrl];

/** PEM of the public key that verifies a recorded signature. */
export function recordedKey({ publicKeyModulus = "" }: RecordedUrl): string {
  const n = Buffer.from(publicKeyModulus, "hex").toString("base64url");
  const key = createPublicKey({ key: { kty: "RSA", n, e: "AQAB" }, format: "jwk" });
  return key.export({ type: "spki", format: "pem" }).toString();
}

const JOURNAL = `============ ФИСКАЛНИ РАЧУН ============
RS111911206
NAVIPARTNER
NAVIPARTNER
ХЕРОЈА МИЛАНА ТЕПИЋА 13
Београд
Касир:                         123456789
ИД купца:                     RS34564565
Опционо поље купца:               567546
ЕСИР број:                   POS2017/998
ЕСИР време:          08.12.2020. 8:55:23
-------------ПРОМЕТ ПРОДАЈА-------------
Артикли
========================================
Назив   Цена         Кол.         Укупно
Sport-100 Helmet, Blue (A)              
        34,23          2           68,46
----------------------------------------
Укупан износ:                      68,46
Готовина:                          68,46
========================================
Ознака       Име      Стопа        Порез
A             VAT    9,00%          5,65
----------------------------------------
Укупан износ пореза:                5,65
========================================
ПФР време:          06.06.2023. 13:21:15
ПФР број рачуна: YJLQTEQR-YJLQTEQR-11389
Бројач рачуна:              8652/11389ПП
========================================
======== КРАЈ ФИСКАЛНОГ РАЧУНА =========
`.replaceAll("\n", "\r\n");

/** What a POS sent for the first of them, and what another maker's service answered. */
export const RECORDED_RECEIPT = {
  taxpayer: {
    tin: "RS111911206",
    businessName: "NAVIPARTNER",
    locationName: "NAVIPARTNER",
    address: "ХЕРОЈА МИЛАНА ТЕПИЋА 13",
    district: "Београд",
  },
  invoice: {
    dateAndTimeOfIssue: "2020-12-08T08:55:23.286Z",
    cashier: "123456789",
    buyerId: "RS34564565",
    buyerCostCenterId: "567546",
    invoiceType: "Normal",
    transactionType: "Sale",
    payment: [{ amount: 68.46, paymentType: "Cash" }],
    invoiceNumber: "POS2017/998",
    referentDocumentNumber: "",
    options: { omitQRCodeGen: "0", omitTextualRepresentation: "0" },
    items: [{ name: "Sport-100 Helmet, Blue", quantity: 2, unitPrice: 34.23, labels: ["A"], totalAmount: 68.46 }],
  },
  journal: JOURNAL,
  answer: {
    invoiceNumber: "YJLQTEQR-YJLQTEQR-11389",
    invoiceCounter: "8652/11389ПП",
    invoiceCounterExtension: "ПП",
    totalCounter: 11389,
    transactionTypeCounter: 8652,
    totalAmount: 68.46,
    taxGroupRevision: 5,
    sdcDateTime: "2023-06-06T13:21:15.504+02:00",
    taxItems: [{ categoryType: 0, categoryName: "VAT", label: "A", rate: 9, amount: 5.6527 }],
  },
};
