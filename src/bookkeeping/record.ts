/** Writes a report as a record for JSON. */
import type { Balance, DayReport, LabelBalance, Money } from "../fiscal/day-report.js";
import { type Scaled, toDecimalText, toFixed } from "../fiscal/money.js";
import type { BalanceRecord, DayReportRecord, KindRecord, LabelRecord, MoneyRecord } from "./day-report-record.js";
import type { MadeReport } from "./make-report.js";

export function reportRecord({ from, to, timeZone, taxpayer, form, report, unreadable }: MadeReport): DayReportRecord {
  const { total, days, hours, labels, payments, kinds, apart, cashiers, first, last, withoutItems } = report;
  return {
    from,
    to,
    timeZone: timeZone ?? null,
    numberForm: form?.numberForm ?? null,
    taxpayer: taxpayer ?? null,
    total: balanceRecord(total),
    days: days.map(({ day, ...balance }) => ({ day, ...balanceRecord(balance) })),
    hours: hours.map(({ hour, ...balance }) => ({ hour, ...balanceRecord(balance) })),
    labels: labels.map(labelRecord),
    payments: payments.map(({ payment, sales, refunds, difference }) => ({
      payment,
      sales: exact(sales),
      refunds: exact(refunds),
      difference: exact(difference),
    })),
    kinds: kinds.map(kindRecord),
    apart: apart.map(kindRecord),
    cashiers: cashiers.map(({ cashier = null, ...balance }) => ({ cashier, ...balanceRecord(balance) })),
    first: first ?? null,
    last: last ?? null,
    withoutItems,
    unreadable,
  };
}

function labelRecord({ label, categoryName, rate, ...balance }: LabelBalance): LabelRecord {
  return { label, category: categoryName, rate: toDecimalText(rate), ...balanceRecord(balance) };
}

function kindRecord({ invoiceType, transactionType, receipts, ...money }: DayReport["kinds"][number]): KindRecord {
  return { invoiceType, transactionType, receipts, ...moneyRecord(money) };
}

function balanceRecord({ receipts, sales, refunds, difference }: Balance): BalanceRecord {
  return {
    receipts,
    sales: moneyRecord(sales),
    refunds: moneyRecord(refunds),
    difference: moneyRecord(difference),
  };
}

function moneyRecord({ amount, tax }: Money): MoneyRecord {
  return { amount: exact(amount), tax: exact(tax) };
}

function exact(value: Scaled): string {
  return toFixed(value, value % 100n === 0n ? 2 : 4);
}
