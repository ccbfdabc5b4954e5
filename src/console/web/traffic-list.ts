/** The newest requests that a filter finds, kept up to date, and older ones a page at a time. */
import { useEffect, useRef, useState } from "preact/hooks";
import type { TrafficRecord } from "../records.js";
import { call, useEveryChange } from "./api.js";

/** Entries a page. */
const PAGE = 50;

export interface TrafficQuery {
  readonly text: string;
  readonly failed: boolean;
}

interface Shown {
  /** For what it was asked. */
  readonly key: string;
  /** Newest first, one more than there is room for where older ones exist. */
  readonly entries: readonly TrafficRecord[];
}

/** @param source address of the traffic, of the service or of the emulator */
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
    const mine = ++asked.current;
    const { entries } = known.current;
    // With a filter the end of a request may bring it in, so that everything is asked again.
    const goesOn = known.current.key === key && filterKey === "{}" && entries.length > 0;
    const asking = goesOn ? since(source, entries, room + 1) : newest(source, filter, room + 1);
    asking.then(
      (fetched) => {
        // An answer that was overtaken knows less.
        if (mine === asked.current) setShown({ key, entries: fetched });
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
    /** Undefined where there is nothing older. */
    older: shown.entries.length > room ? () => setMore({ filterKey, room: room + PAGE }) : undefined,
    forgotten: () => {
      // What is on its way was asked for before.
      asked.current++;
      setShown({ key, entries: [] });
    },
  };
}

/** One request by its id, once it is asked for: it may be older than what is listed. */
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

/** An answer may have room for fewer than it was asked for. */
async function newest(
  source: string,
  filter: Readonly<Record<string, string>>,
  most: number,
): Promise<TrafficRecord[]> {
  const found: TrafficRecord[] = [];
  for (;;) {
    const first = found.at(-1)?.id;
    const part = { ...filter, ...(first === undefined ? {} : { before: String(first) }) };
    const query = new URLSearchParams({ ...part, last: String(most - found.length) });
    const fetched = await call<TrafficRecord[]>(`${source}?${query}`);
    found.push(...fetched.toReversed());
    if (fetched.length === 0 || found.length >= most) return found;
  }
}

/** Newest first. One that was under way is asked for again. */
async function since(source: string, known: readonly TrafficRecord[], most: number): Promise<TrafficRecord[]> {
  const done = known.filter(({ status, answer }) => status !== 0 || answer !== "");
  const waiting = known.filter((entry) => !done.includes(entry)).map(({ id }) => id);
  const last = waiting.length > 0 ? Math.min(...waiting) - 1 : (known[0]?.id ?? 0);
  const fresh = await call<TrafficRecord[]>(`${source}?since=${last}&last=${most}`);
  return [...fresh.toReversed(), ...done.filter(({ id }) => id <= last)].slice(0, most);
}
