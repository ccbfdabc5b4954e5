/** A real receipt, recomputed: the answer recorded in fixtures/verification-urls.json, first entry. */
import { describe, expect, it } from "vitest";
import { parseTime } from "../../src/fiscal/time.js";
import { decodeVerificationUrl, encodeVerificationData } from "../../src/fiscal/verification-url.js";
import { RECORDED_URLS } from "../support/recorded.js";
import { openTill } from "../support/till.js";

const [RECORDED] = RECORDED_URLS;

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

const INVOICE = {
  dateAndTimeOfIssue: "2020-12-08T07:55:23.000Z",
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
};

describe("the recorded receipt", () => {
  it("comes out the same: journal, numbers, taxes and the header of its URL, byte by byte", async () => {
    const till = await openTill({
      profile: {
        uid: "YJLQTEQR",
        taxpayer: {
          tin: "RS111911206",
          businessName: "NAVIPARTNER",
          locationName: "NAVIPARTNER",
          address: "ХЕРОЈА МИЛАНА ТЕПИЋА 13",
          district: "Београд",
        },
        counters: { total: 11388, NS: 8651 },
      },
      environment: "sandbox",
      now: () => parseTime("2023-06-06T11:21:15.504282Z") ?? 0,
    });
    const answer = (await till.sell(INVOICE)).json<Record<string, string>>();
    expect(answer.journal).toBe(JOURNAL);
    expect(answer).toMatchObject({
      invoiceNumber: "YJLQTEQR-YJLQTEQR-11389",
      invoiceCounter: "8652/11389ПП",
      invoiceCounterExtension: "ПП",
      totalCounter: 11389,
      transactionTypeCounter: 8652,
      totalAmount: 68.46,
      taxGroupRevision: 5,
      sdcDateTime: "2023-06-06T11:21:15.504Z",
      taxItems: [{ categoryType: 0, categoryName: "VAT", label: "A", rate: 9, amount: 5.6527 }],
    });
    const header = (url: string) =>
      Buffer.from(encodeVerificationData(decodeVerificationUrl(url)).subarray(0, 44 + 10)).toString("hex");
    expect(header(answer.verificationUrl ?? "")).toBe(header(RECORDED.url));
    const { hostname, pathname } = new URL(RECORDED.url);
    expect(answer.verificationUrl).toContain(`https://${hostname}${pathname}?vl=`);
  });
});
