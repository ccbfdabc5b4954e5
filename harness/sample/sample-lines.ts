/** Runs `tillseal sample invoice`. */

import { didYouMean } from "../../src/base/did-you-mean.js";
import { at, ConfigError } from "../../src/config/config-error.js";
import { loadNamedEnvironment } from "../../src/config/environment.js";
import { SAMPLE_TYPES, type SampleType, sampleInvoices } from "./sample-invoices.js";

export interface SampleLines {
  readonly count: number;
  readonly seed: string;
  readonly types: readonly string[];
  /** Name of an environment in fixtures/environments, or path of a file. */
  readonly environment: string;
}

/** Yields each invoice as a line of NDJSON. @throws ConfigError if a type or the environment is unknown */
export async function* sampleInvoiceLines({
  count,
  seed,
  types,
  environment: name,
}: SampleLines): AsyncGenerator<string> {
  for (const type of types) {
    if (isSampleType(type)) continue;
    const meant = didYouMean(type, SAMPLE_TYPES);
    throw new ConfigError(`--type ${type} is not known; expected ${SAMPLE_TYPES.join(", ")}${meant}`);
  }
  const environment = at("--environment", () => loadNamedEnvironment(name));
  if (!environment) throw new ConfigError("--environment none: without tax rates an invoice has no labels");
  const chosen = types.filter(isSampleType);
  for await (const invoice of sampleInvoices({ count, seed, types: chosen, environment })) {
    yield `${JSON.stringify(invoice)}\n`;
  }
}

function isSampleType(type: string): type is SampleType {
  return (SAMPLE_TYPES as readonly string[]).includes(type);
}
