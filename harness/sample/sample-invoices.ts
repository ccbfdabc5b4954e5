/** Generates invoices like those of real tills. The same seed gives the same invoices. */
import { createHash } from "node:crypto";
import type { Faker } from "@faker-js/faker";
import { didYouMean } from "../../src/base/did-you-mean.js";
import { at, ConfigError } from "../../src/config/config-error.js";
import { loadNamedEnvironment } from "../../src/config/environment.js";
import type { FiscalEnvironment } from "../../src/fiscal/environment.js";
import { INVOICE_TYPE_NAMES, PAYMENT_TYPES, TRANSACTION_TYPE_NAMES } from "../../src/fiscal/invoice.js";
import type { TaxCategory } from "../../src/fiscal/tax.js";
import { ARTICLES } from "./articles.js";

/** The invoice type and the transaction type in lower case, such as `normal-sale`. There are ten of these pairs. */
export const SAMPLE_TYPES: readonly string[] = INVOICE_TYPE_NAMES.flatMap((invoice) =>
  TRANSACTION_TYPE_NAMES.map((transaction) => `${invoice}-${transaction}`.toLowerCase()),
);

/** How often each kind of invoice occurs in a shop. */
const USUAL = [
  { weight: 84, value: "normal-sale" },
  { weight: 4, value: "normal-refund" },
  { weight: 3, value: "proforma-sale" },
  { weight: 3, value: "copy-sale" },
  { weight: 2, value: "training-sale" },
  { weight: 3, value: "advance-sale" },
  { weight: 1, value: "advance-refund" },
];

export interface SampleOptions {
  readonly count: number;
  readonly seed: string;
  /** Types to choose from. If the list is empty, the generator uses the usual mix. */
  readonly types: readonly string[];
  readonly environment: Pick<FiscalEnvironment, "taxRates">;
}

/** Converts hundredths to an amount. JSON never writes this number with more than two decimals. */
const money = (hundredths: number) => hundredths / 100;

/** Yields `count` invoices. Loads faker on demand, because the start of the service must not wait for this library. */
export async function* sampleInvoices({ count, seed, types, environment }: SampleOptions): AsyncGenerator<object> {
  const { faker } = await import("@faker-js/faker/locale/sr_RS_latin");
  const digest = createHash("sha256").update(seed).digest();
  faker.seed([digest.readUInt32BE(0), digest.readUInt32BE(4), digest.readUInt32BE(8)]);
  const labels = labelsIn(faker, environment);
  for (let number = 1; number <= count; number++) {
    const type = types.length > 0 ? faker.helpers.arrayElement(types) : faker.helpers.weightedArrayElement(USUAL);
    yield sampleInvoice(faker, labels, type, number);
  }
}

function sampleInvoice(faker: Faker, labels: Labels, type: string, number: number): object {
  const [invoice, transaction] = type.split("-");
  const invoiceType = INVOICE_TYPE_NAMES.find((name) => name.toLowerCase() === invoice);
  const transactionType = TRANSACTION_TYPE_NAMES.find((name) => name.toLowerCase() === transaction);
  const lines = Array.from({ length: faker.number.int({ min: 1, max: 6 }) }, () => sampleItem(faker, labels));
  const total = lines.reduce((sum, line) => sum + line.total, 0);
  return {
    invoiceType,
    transactionType,
    cashier: faker.person.fullName().slice(0, 50),
    invoiceNumber: `POS${faker.number.int({ min: 1, max: 9 })}/${number}`,
    ...buyer(faker),
    ...(invoiceType === "Copy" || transactionType === "Refund" ? reference(faker) : {}),
    payment: payments(faker, total),
    items: lines.map(({ item }) => item),
  };
}

function sampleItem(faker: Faker, labels: Labels): { readonly item: object; readonly total: number } {
  const article = faker.helpers.arrayElement(ARTICLES);
  const [min, max] = article.price;
  const unitPrice = faker.number.int({ min, max });
  const thousandths = article.byWeight
    ? faker.number.int({ min: 80, max: 4500 })
    : 1000 *
      faker.helpers.weightedArrayElement([
        { weight: 7, value: 1 },
        { weight: 2, value: 2 },
        { weight: 1, value: faker.number.int({ min: 3, max: 24 }) },
      ]);
  const total = Math.floor((unitPrice * thousandths + 500) / 1000);
  const item = {
    ...(faker.datatype.boolean(0.4) ? { gtin: gtin(faker) } : {}),
    name: labels.isCyrillic ? article.cyrillic : article.latin,
    quantity: thousandths / 1000,
    unitPrice: money(unitPrice),
    labels: labels.forItem(),
    totalAmount: money(total),
  };
  return { item, total };
}

type Labels = ReturnType<typeof labelsIn>;

/** Chooses labels of the newest rates. Each item gets one tax on net, and some items get a tax of another kind, too. */
function labelsIn(faker: Faker, { taxRates }: SampleOptions["environment"]) {
  const newest = [...taxRates].sort((a, b) => b.validFrom - a.validFrom)[0];
  const labelsOf = (wanted: (category: TaxCategory) => boolean) =>
    (newest?.taxCategories ?? []).filter(wanted).flatMap((category) => category.taxRates.map(({ label }) => label));
  const onNet = labelsOf(({ categoryType }) => categoryType === 0);
  const others = labelsOf(({ categoryType }) => categoryType !== 0);
  const net = onNet.length > 0 ? onNet : others;
  return {
    isCyrillic: net.some((label) => /\p{Script=Cyrillic}/u.test(label)),
    forItem: (): string[] => {
      const label = faker.helpers.arrayElement(net);
      const second = faker.datatype.boolean(0.1) ? others.filter((other) => other !== label) : [];
      return second.length > 0 ? [label, faker.helpers.arrayElement(second)] : [label];
    },
  };
}

/**
 * Some invoices get a buyer in Serbia's form, `<code>:<value>`. Code 10 is a company's tax number, 20 an identity card
 * (protocol facts, section 9).
 */
function buyer(faker: Faker): object {
  if (faker.datatype.boolean(0.75)) return {};
  if (faker.datatype.boolean()) return { buyerId: `20:${faker.string.numeric(9)}` };
  const company = { buyerId: `10:${faker.string.numeric(9)}` };
  return faker.datatype.boolean(0.3) ? { ...company, buyerCostCenterId: `20:${faker.string.numeric(4)}` } : company;
}

const FIRST_DAY = "2023-01-01T00:00:00.000Z";
const LAST_DAY = "2023-06-30T00:00:00.000Z";

function reference(faker: Faker): object {
  const uid = faker.string.alphanumeric({ length: 8, casing: "upper" });
  return {
    referentDocumentNumber: `${uid}-${uid}-${faker.number.int({ min: 1, max: 99_999 })}`,
    referentDocumentDT: faker.date.between({ from: FIRST_DAY, to: LAST_DAY }).toISOString(),
  };
}

/** Generates one or two payments whose sum is the total. */
function payments(faker: Faker, total: number): object[] {
  const paymentType = () =>
    faker.helpers.weightedArrayElement([
      { weight: 10, value: "Cash" },
      { weight: 10, value: "Card" },
      ...Object.keys(PAYMENT_TYPES).map((value) => ({ weight: 1, value })),
    ]);
  if (total < 2 || faker.datatype.boolean(0.9)) return [{ amount: money(total), paymentType: paymentType() }];
  const first = faker.number.int({ min: 1, max: total - 1 });
  return [
    { amount: money(first), paymentType: "Voucher" },
    { amount: money(total - first), paymentType: "Cash" },
  ];
}

/** Generates a GTIN with 13 digits. The last digit is GS1's check digit. */
function gtin(faker: Faker): string {
  const digits = `860${faker.string.numeric(9)}`;
  const sum = [...digits].reduce((total, digit, i) => total + Number(digit) * (i % 2 === 0 ? 1 : 3), 0);
  return `${digits}${(10 - (sum % 10)) % 10}`;
}

export interface SampleLines extends Omit<SampleOptions, "environment"> {
  /** Name of an environment in fixtures/environments, or path of a file. */
  readonly environment: string;
}

/** Yields each invoice as a line of NDJSON. @throws ConfigError if a type or the environment is unknown */
export async function* sampleInvoiceLines(options: SampleLines): AsyncGenerator<string> {
  const { types, environment: name } = options;
  const unknown = types.find((type) => !SAMPLE_TYPES.includes(type));
  if (unknown !== undefined) {
    const meant = didYouMean(unknown, SAMPLE_TYPES);
    throw new ConfigError(`--type ${unknown} is not known; expected ${SAMPLE_TYPES.join(", ")}${meant}`);
  }
  const environment = at("--environment", () => loadNamedEnvironment(name));
  if (!environment) throw new ConfigError("--environment none: without tax rates an invoice has no labels");
  for await (const invoice of sampleInvoices({ ...options, environment })) yield `${JSON.stringify(invoice)}\n`;
}
