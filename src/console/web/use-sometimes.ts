/** Fetches an answer that is expensive to compute: at once, and 2 s after a change, however many changes follow. */
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { call, useEveryChange } from "./api.js";

/** Further changes in this time cause no further request. */
const REFRESH_INTERVAL_MS = 2_000;

export interface Sometimes<T> {
  readonly value: T | undefined;
  readonly error: Error | undefined;
  /** Whether no answer from this address has come yet. */
  readonly waiting: boolean;
}

/** @param url undefined fetches nothing @param live whether to fetch again after changes */
export function useSometimes<T>(url: string | undefined, live: boolean): Sometimes<T> {
  const [answer, setAnswer] = useState<{ readonly url: string; readonly value?: T; readonly error?: Error }>();
  const timer = useRef<number | undefined>(undefined);
  /** Numbers of the last question, and of the question whose answer is shown. */
  const asked = useRef(0);
  const shown = useRef(0);
  const wanted = useRef(url);
  wanted.current = url;
  const ask = useCallback(() => {
    if (url === undefined) return;
    const number = ++asked.current;
    // Ignore an answer that arrives after the answer to a later question, because it may lack the newest sale.
    const answered = (value: { value?: T; error?: Error }) => {
      if (wanted.current !== url || number < shown.current) return;
      shown.current = number;
      setAnswer({ url, ...value });
    };
    call<T>(url).then(
      (value) => answered({ value }),
      (error: unknown) => answered({ error: error as Error }),
    );
  }, [url]);
  useEffect(ask, [ask]);
  const latest = useRef(ask);
  latest.current = ask;
  useEveryChange(() => {
    if (!live || timer.current !== undefined) return;
    timer.current = setTimeout(() => {
      timer.current = undefined;
      latest.current();
    }, REFRESH_INTERVAL_MS);
  });
  useEffect(() => () => clearTimeout(timer.current), []);
  const isOfThis = answer !== undefined && answer.url === url;
  return { value: answer?.value, error: isOfThis ? answer.error : undefined, waiting: url !== undefined && !isOfThis };
}
