/**
 * A till that refuses sales says so: no two sales in a row are refused with a code that /ready would name while /ready,
 * asked between them, says that the till can sell. A full queue has no such code.
 */
const NAMED = ["1300", "1500", "1999", "2110", "2210", "2220", "2230", "2400", "2809", "1100"];

export interface AskedSale {
  readonly code: string | undefined;
  /** Whether /ready said after the sale that the till can sell. */
  readonly ready: boolean;
}

/** Whether /ready must name the code after a sale that got it. @param status 503: the queue is full, or the sale is at work */
export const isNamed = (code: string | undefined, status = 500): boolean =>
  code !== undefined && status !== 503 && NAMED.includes(code);

/** Sales that were refused although the till had refused the one before and then said that it can sell. */
export function silentRefusals(sales: readonly AskedSale[]): string[] {
  return sales.flatMap(({ code }, n) => {
    const before = sales[n - 1];
    return isNamed(code) && before?.ready === true && isNamed(before.code)
      ? [`${before.code}, then /ready said yes, then ${code}`]
      : [];
  });
}
