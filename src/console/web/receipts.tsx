/** The page Receipts: finds receipts, shows them as printed, and exports one or many. */
import { useState } from "preact/hooks";
import { dayAfter, isDay } from "../../fiscal/zoned.js";
import type { InfoRecord } from "../records/info.js";
import type { ReceiptListRecord } from "../records/receipts.js";
import { useLive } from "./api.js";
import { Locked } from "./locked.js";
import { ReceiptPanel } from "./receipt.js";
import { type Filters, filterQuery, NO_FILTERS, ReceiptFilters } from "./receipt-filters.js";
import { ReceiptTable } from "./receipt-table.js";
import { type Speech, useSpeech } from "./texts.js";
import { DayField, Problem, useAgain } from "./ui.js";
import { useSettled } from "./use-settled.js";

const PAGE = 50;
/** Maximum number of receipts that the service lists. */
const MOST = 1000;
/** ms between requests while the service reads its index. */
const AGAIN_MS = 1_500;

interface ReceiptsPageProps {
  readonly id: string;
  readonly info: InfoRecord;
  /** Called when the service has accepted the console's token, so that the caller may see more. */
  readonly opened: () => void;
}

export function ReceiptsPage({ id, info, opened }: ReceiptsPageProps) {
  const { trusted } = info;
  const { say, language, moment, today } = useSpeech();
  const [search, setSearch] = useState("");
  const [days, setDays] = useState({ from: "", to: "" });
  const [filters, setFilters] = useState<Filters>(NO_FILTERS);
  const [limit, setLimit] = useState(PAGE);
  const period = periodOf(days, moment);
  const sought = useSettled(search).trim();
  const first = isDay(days.from) ? days.from : today();
  const minute = minuteOf(sought, first, moment);
  const wanted = minute ?? { ...period, search: sought };
  const filtered = filterQuery(useSettled(filters));
  const query = new URLSearchParams({ ...wanted, ...filtered, limit: String(limit) });
  const url = trusted ? `/console/receipts?${query}` : undefined;
  const { value: list, error, refresh } = useLive<ReceiptListRecord>(url);
  const reading = list?.reading ?? null;
  useAgain(reading !== null, refresh, AGAIN_MS);
  if (!trusted) return <Locked info={info} opened={opened} />;
  const decimal = language === "en" ? "point" : "comma";
  const whole = Object.keys(period).length === 0;
  const chosen = id === "" ? undefined : id;
  return (
    <div class={chosen === undefined ? "sides" : "sides chosen"}>
      <section class="panel list">
        <h1>{say("receipts")}</h1>
        <search>
          <label class="grow">
            {say("search")}
            <input
              type="search"
              value={search}
              placeholder={say("searchFor")}
              onInput={(event) => {
                setSearch(event.currentTarget.value);
                setLimit(PAGE);
              }}
            />
          </label>
          <DayField title={say("from")} value={days.from} change={(from) => setDays({ ...days, from })} />
          <DayField title={say("to")} value={days.to} change={(to) => setDays({ ...days, to })} />
        </search>
        <ReceiptFilters
          filters={filters}
          change={(changed) => {
            setFilters(changed);
            setLimit(PAGE);
          }}
        />
        <Problem text={error?.message ?? ""} />
        {reading && <p role="status">{say("readingReceipts", { ...reading })}</p>}
        <p class="muted understood" role="status">
          {minute ? <Minute time={sought} day={first} /> : list?.understood && <Understood text={sought} list={list} />}
        </p>
        {list && (
          <ReceiptTable
            receipts={list.receipts}
            chosen={chosen}
            none={say(list.empty ? "noReceipts" : reading ? "nothingFoundYet" : "nothingFound")}
          />
        )}
        {list && !list.more && list.receipts.length === MOST && <p class="muted">{say("most", { n: MOST })}</p>}
        <div class="row">
          {list?.more && (
            <button type="button" onClick={() => setLimit(limit + PAGE)}>
              {say("more")}
            </button>
          )}
          <span class="grow" />
          <a
            class="button"
            href={`/console/receipts.csv?${new URLSearchParams({ ...period, decimal })}`}
            download={fileName(days, "csv")}
          >
            {say(whole ? "exportAllCsv" : "exportCsv")}
          </a>
          <a
            class="button"
            href={`/console/receipts.ndjson?${new URLSearchParams(period)}`}
            download={fileName(days, "ndjson")}
          >
            {say(whole ? "exportAllNdjson" : "exportNdjson")}
          </a>
        </div>
      </section>
      {chosen === undefined ? (
        <p class="panel muted hint">{say("chooseReceipt")}</p>
      ) : (
        <ReceiptPanel key={chosen} chosen={chosen} />
      )}
    </div>
  );
}

/** Shows how the service understood a typed time of day, such as "12:46 today". */
function Minute({ time, day }: { readonly time: string; readonly day: string }) {
  const { say, today, day: dayText } = useSpeech();
  return <>{say("understoodAs", { what: `${time} ${day === today() ? say("onToday") : dayText(`${day}T12:00Z`)}` })}</>;
}

function Understood({ text, list: { understood } }: { readonly text: string; readonly list: ReceiptListRecord }) {
  const { say, amount } = useSpeech();
  const { counter, amounts } = understood ?? { counter: null, amounts: [] };
  const meanings = [
    ...amounts.map((value) => `${say("soughtAmount")} ${amount(value)}`),
    ...(counter === null ? [] : [`${say("soughtCounter")} ${counter}`]),
    `${say("numberOrRequestId")} ${text}`,
  ];
  return <>{say("understoodAs", { what: meanings.join(` ${say("or")} `) })}</>;
}

/** Returns the period of a typed time of day: that minute on the first chosen day, or today. */
function minuteOf(text: string, day: string, moment: Speech["moment"]): Record<string, string> | undefined {
  const [, hour = "", minute] = /^(\d{1,2}):(\d\d)$/.exec(text) ?? [];
  if (minute === undefined || Number(hour) > 23 || Number(minute) > 59) return undefined;
  const from = moment(`${day}T${hour.padStart(2, "0")}:${minute}`);
  return { from: from.toISOString(), to: new Date(from.getTime() + 60_000).toISOString() };
}

interface Days {
  readonly from: string;
  readonly to: string;
}

/** Returns the period of the chosen days of the shop's calendar. The period includes the last day. */
function periodOf({ from, to }: Days, moment: Speech["moment"]): Record<string, string> {
  return {
    ...(isDay(from) ? { from: moment(`${from}T00:00`).toISOString() } : {}),
    ...(isDay(to) ? { to: moment(`${dayAfter(to)}T00:00`).toISOString() } : {}),
  };
}

function fileName({ from, to }: Days, form: string): string {
  const days = [...new Set([from, to].filter(isDay))];
  return `${["receipts", ...days].join("-")}.${form}`;
}
