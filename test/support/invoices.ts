/** Invoices and rates for tests of the fiscal core. */
import { join } from "node:path";
import { PACKAGE_ROOT } from "../../src/base/package-root.js";
import { loadNamedEnvironment } from "../../src/config/environment.js";
import type { EnvironmentInForce } from "../../src/config/environment-in-force.js";
import type { FiscalEnvironment } from "../../src/fiscal/environment.js";
import type { Invoice, InvoiceItem } from "../../src/fiscal/invoice.js";
import { parseScaled } from "../../src/fiscal/money.js";
import type { PosTime } from "../../src/fiscal/pos-time.js";

export const environmentFile = (name: string) => join(PACKAGE_ROOT, "fixtures", "environments", `${name}.yaml`);

/** The environment that was recorded at a real authority (protocol facts, section 8). */
export const SANDBOX = recorded();

function recorded(): FiscalEnvironment {
  const environment = loadNamedEnvironment("sandbox");
  if (!environment) throw new Error("the recording is missing");
  return environment;
}

/** An environment that applies whatever card is in the reader. */
export function inForce(environment: FiscalEnvironment | undefined): Pick<EnvironmentInForce, "now"> {
  const unusable = { timeZone: undefined, languages: [] };
  return { now: () => ({ environment, source: { kind: "nothing", damaged: false }, unusable }) };
}

export function item(totalAmount: string, ...labels: string[]): InvoiceItem {
  const total = parseScaled(totalAmount);
  return { name: "Item", quantity: 10_000n, unitPrice: total, totalAmount: total, labels };
}

export function invoice<Time = PosTime>(overrides: Partial<Invoice<Time>> = {}): Invoice<Time> {
  return {
    invoiceType: "Normal",
    transactionType: "Sale",
    payment: [],
    items: [item("100", "A")],
    options: { omitQRCodeGen: false, omitTextualRepresentation: false },
    ...overrides,
  };
}
