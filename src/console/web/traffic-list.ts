/** Loads the newest requests that a filter finds, keeps them up to date, and loads older ones in pages. */
import { useEffect, useRef, useState } from "preact/hooks";
import type { TrafficRecord } from "../records/traffic.js";
import { call, useEveryChange } from "./api.js";

/** Number of entries in a page. */
const PAGE = 50;

export interface TrafficQuery {
  readonly text: string;
  readonly failed: boolean;
}

interface Shown {
  /** Filter and number of entries that were asked for. */
  readonly key: string;
  /** Newest first. One entry more than the page shows, if there are older entries. */
  readonly entries: readonly TrafficRecord[];
}

/** Loads requests. @param source address of the requests, at the service or at the emulator */
export function useTraffic(source: string, { text, failed }: TrafficQuery) {
  const filter = { ...(text === "" ? {} : { text }), ...(failed ? { failed: "true" } : {}) };
  const filterKey = JSON.stringify(filter);
  const [more, setMore] = useState({ filterKey, room: PAGE });
  const room = more.filterKey === filterKey ? more.room : PAGE;
  const key = `${filterKey} ${room}`;
  const [shown, setShown] = useState<Shown>({ key: "", entries: [] });
  const [reached, setReached] = useState(true);
  const known = useRef(shown);
  known.current = shown;
  const asked = useRef(0);
  const refresh = () => {
    const request = ++asked.current;
    const { entries } = known.current;
    // With a filter, fetch everything again, because a request may match the filter only once it is answered.
    const goesOn = known.current.key === key && filterKey === "{}" && entries.length > 0;
    const asking = goesOn ? since(source, entries, room + 1) : newest(source, filter, room + 1);
    asking.then(
      (fetched) => {
        // Ignore an answer if a later request was sent meanwhile.
        if (request === asked.current) setShown({ key, entries: fetched });
        setReached(true);
      },
      () => setReached(false),
    );
  };
  useEveryChange(refresh);
  useEffect(refresh, [key]);
  return {
    entries: shown.entries.slice(0, room),
    reached,
    /** Shows older requests too; undefined if there are none. */
    older: shown.entries.length > room ? () => setMore({ filterKey, room: room + PAGE }) : undefined,
    forgotten: () => {
      // Ignore answers to earlier requests.
      asked.current++;
      setShown({ key, entries: [] });
    },
  };
}

/** Returns the request with an id. The request is fetched if it is not in the list. */
export function useEntry(source: string, id: number, listed: readonly TrafficRecord[]): TrafficRecord | undefined {
  const [fetched, setFetched] = useState<TrafficRecord>();
  const inList = listed.find((entry) => entry.id === id);
  const isListed = inList !== undefined;
  useEffect(() => {
    if (!Number.isSafeInteger(id) || id < 1 || isListed) return;
    call<TrafficRecord[]>(`${source}?since=${id - 1}&before=${id + 1}`).then(
      ([entry]) => setFetched(entry),
      () => setFetched(undefined),
    );
  }, [source, id, isListed]);
  return inList ?? (fetched?.id === id ? fetched : undefined);
}

/** Fetches the newest entries. It asks several times, because an answer may have fewer entries than `last`. */
async function newest(
  source: string,
  filter: Readonly<Record<string, string>>,
  most: number,
): Promise<TrafficRecord[]> {
  const records: TrafficRecord[] = [];
  for (;;) {
    const first = records.at(-1)?.id;
    const part = { ...filter, ...(first === undefined ? {} : { before: String(first) }) };
    const query = new URLSearchParams({ ...part, last: String(most - records.length) });
    const fetched = await call<TrafficRecord[]>(`${source}?${query}`);
    records.push(...fetched.toReversed());
    if (fetched.length === 0 || records.length >= most) return records;
  }
}

/**
 * Returns the known entries and the new ones, newest first. It also fetches again the requests that had no answer yet.
 */
async function since(source: string, known: readonly TrafficRecord[], most: number): Promise<TrafficRecord[]> {
  const done = known.filter(({ status, answer }) => status !== 0 || answer !== "");
  const waiting = known.filter((entry) => !done.includes(entry)).map(({ id }) => id);
  const last = waiting.length > 0 ? Math.min(...waiting) - 1 : (known[0]?.id ?? 0);
  const fresh = await call<TrafficRecord[]>(`${source}?since=${last}&last=${most}`);
  return [...fresh.toReversed(), ...done.filter(({ id }) => id <= last)].slice(0, most);
}
