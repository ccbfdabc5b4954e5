/**
 * Decides whether a card gets a proof. For every invoice in the card's sum, the authority must have a verified package
 * or an explanation (protocol facts, section 8, "Flow").
 */
import { PACKAGE_STATUS } from "../../src/authority/tax-authority.js";
import { type Scaled, toFixed } from "../../src/fiscal/money.js";
import { type CounterRange, gapsIn, type PackageRecord } from "./package-store.js";
import type { Card } from "./registered.js";

export type Provable = { readonly upTo: number } | { readonly missing: string };

/**
 * Compares the card's sum at Start Audit with the sum in the internal data of the card's last invoice, minus the sums
 * of the audits that the card has ended since that invoice.
 * @param packages the card's packages, ordered by counter
 */
export function provable(card: Card, sum: Scaled, packages: readonly PackageRecord[]): Provable {
  const { start, explained } = card;
  // Ignore packages up to the card's start, even wrong ones: their invoices have no part in the sum.
  const expected = packages.filter(({ counter }) => counter > start.counter);
  const [gap] = gapsIn(
    expected.map(({ counter }) => counter),
    start.counter + 1,
    explained,
  );
  const isExplained = (counter: number) => explained.some(({ from, to }) => from <= counter && counter <= to);
  const wrong = expected.find(({ counter, status }) => status !== PACKAGE_STATUS.verified && !isExplained(counter));
  const end = Math.min(gap?.from ?? Number.POSITIVE_INFINITY, wrong?.counter ?? Number.POSITIVE_INFINITY);
  const whole = expected.filter(({ counter }) => counter < end);
  const audited = endedAudits(card);
  const ends = [{ counter: start.counter, sum: start.sum }, ...whole].toReversed();
  const last = ends.find((point) => point.sum !== undefined && audited.has(point.sum - sum));
  if (last) return { upTo: last.counter };
  if (wrong && wrong.counter === end) return { missing: `the package of ${wrong.number} is not verified` };
  if (gap) return { missing: `packages are missing: ${rangeText(gap)}` };
  return { missing: `the received packages do not end with a sum of ${toFixed(sum, 4)}` };
}

/** Maximum number of audits that a card may have ended since an invoice. Earlier audits are ignored. */
const MOST_ENDED = 20;

/**
 * Returns all amounts that a card may have subtracted from its sum since an invoice: the totals of the card's last
 * audits. Each total is computed with and without the audits that the service has not reported yet.
 */
function endedAudits({ proofs }: Card): Set<Scaled> {
  const sums = new Set<Scaled>([0n]);
  for (const some of [proofs.filter(({ accepted }) => accepted !== false), proofs.filter(({ accepted }) => accepted)]) {
    let together = 0n;
    for (const { sum } of some.slice(-MOST_ENDED).toReversed()) {
      together += sum;
      sums.add(together);
    }
  }
  return sums;
}

function rangeText({ from, to }: CounterRange): string {
  return from === to ? `counter ${from}` : `counters ${from} to ${to}`;
}
