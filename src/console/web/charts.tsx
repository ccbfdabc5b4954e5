/**
 * Shows takings as pictures: as bars, as the calendar of a month, and as shares of the labels. The page has the numbers
 * as text too, for screen readers and for paper.
 */
import type { DayReportRecord } from "../../bookkeeping/day-report-record.js";
import { dayAfter } from "../../fiscal/zoned.js";
import { useSpeech } from "./texts.js";
import { Panel } from "./ui.js";

export interface BarValue {
  readonly key: string;
  /** Text under the bar. */
  readonly name: string;
  /** Decimal text. */
  readonly amount: string;
}

/** Height of the picture, in its own units. */
const HIGH = 100;
const WIDE = 10;
/** Maximum number of bars that have room for their amounts. */
const FEW = 8;

/** Shows bars beside each other. The bar of an amount below zero is below the line. Without bars, nothing is shown. */
export function Bars({ title, bars }: { readonly title: string; readonly bars: readonly BarValue[] }) {
  const { amount } = useSpeech();
  if (bars.length === 0) return null;
  const numbers = bars.map((bar) => Number(bar.amount));
  const [most, least] = [Math.max(0, ...numbers), Math.min(0, ...numbers)];
  const scale = HIGH / (most - least || 1);
  const zero = most * scale;
  return (
    <figure class="bars">
      <figcaption>{title}</figcaption>
      <svg viewBox={`0 0 ${bars.length * WIDE} ${HIGH}`} preserveAspectRatio="none" aria-hidden="true">
        {bars.map(({ key }, i) => {
          const high = Math.abs(numbers[i] ?? 0) * scale;
          const below = (numbers[i] ?? 0) < 0;
          return (
            <rect
              key={key}
              class={below ? "below" : ""}
              x={i * WIDE + 1}
              width={WIDE - 2}
              y={below ? zero : zero - high}
              height={high}
            />
          );
        })}
        <line x1="0" x2={bars.length * WIDE} y1={zero} y2={zero} />
      </svg>
      <ol class={bars.length <= FEW ? "few" : ""}>
        {bars.map(({ key, name, amount: decimal }) => (
          <li key={key}>
            <span>{amount(decimal)}</span>
            <b>{name}</b>
          </li>
        ))}
      </ol>
    </figure>
  );
}

/** Makes a bar for each hour from the first receipt to the last, so that an hour without a receipt is visible. */
export function hourBars(hours: DayReportRecord["hours"]): BarValue[] {
  const [first, last] = [hours[0]?.hour, hours.at(-1)?.hour];
  if (first === undefined || last === undefined) return [];
  return Array.from({ length: last - first + 1 }, (_, i) => {
    const hour = first + i;
    const amount = hours.find((one) => one.hour === hour)?.difference.amount ?? "0.00";
    return { key: String(hour), name: String(hour), amount };
  });
}

/** Maximum number of days that a chart of days shows beside each other. */
const MOST_BARS = 31;
/** Maximum number of days that are shown as a calendar. */
const MOST_DAYS = 100;
const LEVELS = 4;

/** Shows the days as bars, if there are not too many, and as a calendar with a table for each month. */
export function Days({ report: { from, to, days } }: { readonly report: DayReportRecord }) {
  const { say } = useSpeech();
  if (days.length < 2) return null;
  const all = daysBetween(from, to);
  if (all.length > MOST_DAYS) return null;
  const amountOf = (day: string) => days.find((one) => one.day === day)?.difference.amount;
  const bars = all.map((day) => ({ key: day, name: String(Number(day.slice(8))), amount: amountOf(day) ?? "0.00" }));
  const months = [...new Set(all.map((day) => day.slice(0, 7)))];
  const most = Math.max(...days.map(({ difference }) => Number(difference.amount)));
  return (
    <>
      {bars.length <= MOST_BARS && <Bars title={say("takingsByDay")} bars={bars} />}
      {months.map((month) => (
        <Month key={month} month={month} amountOf={amountOf} most={most} />
      ))}
    </>
  );
}

interface MonthProps {
  readonly month: string;
  readonly amountOf: (day: string) => string | undefined;
  readonly most: number;
}

function Month({ month, amountOf, most }: MonthProps) {
  const { amount, weekday, monthName } = useSpeech();
  const first = `${month}-01`;
  const days = daysBetween(first, dayAfter(`${dayAfter(first, 31).slice(0, 7)}-01`, -1));
  // Number of empty cells before the first day, because Monday is the first column.
  const before = (new Date(`${first}T00:00Z`).getUTCDay() + 6) % 7;
  const cells: (string | undefined)[] = [...Array<undefined>(before), ...days];
  const weeks = Array.from({ length: Math.ceil(cells.length / 7) }, (_, i) => cells.slice(7 * i, 7 * i + 7));
  return (
    <table class="month">
      <caption>{monthName(first)}</caption>
      <thead>
        <tr>
          {daysBetween("2024-01-01", "2024-01-07").map((day) => (
            <th key={day} scope="col">
              {weekday(day)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {weeks.map((week) => (
          <tr key={week.find(Boolean)}>
            {week.map((day, i) => {
              const decimal = day === undefined ? undefined : amountOf(day);
              return (
                <td key={day ?? i} class={decimal === undefined ? "" : `level${levelOf(Number(decimal), most)}`}>
                  {day !== undefined && <b>{Number(day.slice(8))}</b>}
                  {decimal !== undefined && <span>{whole(amount(decimal))}</span>}
                </td>
              );
            })}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Returns an amount without its decimals. The table of the days has the exact amount. */
const whole = (amount: string) => amount.replace(/[.,]\d+$/, "");

const levelOf = (amount: number, most: number) => Math.max(0, Math.ceil((LEVELS * amount) / (most || 1)));

function daysBetween(from: string, to: string): string[] {
  const days: string[] = [];
  for (let day = from; day <= to && days.length <= MOST_DAYS; day = dayAfter(day)) days.push(day);
  return days;
}

/**
 * Shows each label's share of the takings. An item with two labels counts for both, so a share is a part of the sum of
 * all labels.
 */
export function Shares({ labels }: Pick<DayReportRecord, "labels">) {
  const { say, amount, percent } = useSpeech();
  const parts = labels.map((one) => ({ ...one, part: Math.max(0, Number(one.difference.amount)) }));
  const sum = parts.reduce((all, { part }) => all + part, 0);
  if (sum === 0) return null;
  let at = 0;
  return (
    <Panel title={say("shares")}>
      <svg class="shares" viewBox={`0 0 ${sum} 10`} preserveAspectRatio="none" aria-hidden="true">
        {parts.map(({ label, rate, part }, i) => {
          const x = at;
          at += part;
          return <rect key={label + rate} class={`share${i % 6}`} x={x} width={part} height="10" />;
        })}
      </svg>
      <ul class="legend">
        {parts.map(({ label, rate, part, difference }, i) => (
          <li key={label + rate}>
            <svg viewBox="0 0 1 1" aria-hidden="true">
              <rect class={`share${i % 6}`} width="1" height="1" />
            </svg>
            <b>{label}</b> <span class="muted">{percent(Number(rate))}</span>
            <span class="number">{percent(Math.round((1000 * part) / sum) / 10)}</span>
            <span class="number">{amount(difference.amount)}</span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
