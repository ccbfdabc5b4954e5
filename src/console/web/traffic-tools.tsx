/** Tools for the request that is shown: send it again, and compare it with another request. */
import { useState } from "preact/hooks";
import type { TrafficRecord } from "../records/traffic.js";
import { Ask, type Question } from "./ask.js";
import { jsonDifference } from "./json-difference.js";
import { useSpeech } from "./texts.js";
import { Problem, useAction } from "./ui.js";

/** Headers that change the answer. */
const SENT_HEADERS = ["accept", "accept-language", "content-type", "requestid"];

export function sentHeaders({ headers }: Pick<TrafficRecord, "headers">): readonly (readonly [string, string])[] {
  return Object.entries(headers)
    .filter(([name]) => SENT_HEADERS.includes(name.toLowerCase()))
    .map(([name, value]) => [name, String(value)]);
}

/** Whether a request has no masked PIN. A request with a masked PIN cannot be sent again. */
function isWhole({ path, body }: TrafficRecord): boolean {
  return !/\/pin(?![a-z])/i.test(path) && !body.includes("****");
}

export function SendAgain({ entry }: { readonly entry: TrafficRecord }) {
  const { say } = useSpeech();
  const [question, setQuestion] = useState<Question>();
  const { busy, problem, run } = useAction();
  if (!isWhole(entry)) return null;
  const { method, path, body } = entry;
  const send = () =>
    run(async () => {
      const headers = Object.fromEntries(sentHeaders(entry));
      await fetch(path, { method, headers, ...(body === "" ? {} : { body }) });
    });
  const ask = () =>
    setQuestion({ title: say("sendAgainAsk"), means: say("sendAgainMeans"), answer: say("sendAgain"), act: send });
  return (
    <>
      <button type="button" disabled={busy} onClick={ask}>
        {say("sendAgain")}
      </button>
      <Problem text={problem} />
      {question && <Ask question={question} closed={() => setQuestion(undefined)} />}
    </>
  );
}

export interface CompareProps {
  readonly entry: TrafficRecord;
  /** The listed requests, newest first. */
  readonly entries: readonly TrafficRecord[];
}

export function Compare({ entry, entries }: CompareProps) {
  const { say, clockTime } = useSpeech();
  const [chosen, setChosen] = useState(0);
  const others = entries.filter(({ id, method }) => id !== entry.id && method === entry.method);
  const other = others.find(({ id }) => id === chosen);
  if (others.length === 0) return null;
  return (
    <>
      <label>
        {say("compareWith")}
        <select value={chosen} onChange={({ currentTarget: { value } }) => setChosen(Number(value))}>
          <option value={0}>-</option>
          {others.map(({ id, at, path, status }) => (
            <option key={id} value={id}>
              {clockTime(at)} {path} {status}
            </option>
          ))}
        </select>
      </label>
      {other && (
        <>
          <Differences title={say("request")} one={entry.body} other={other.body} />
          <Differences title={say("answer")} one={entry.answer} other={other.answer} />
        </>
      )}
    </>
  );
}

/** Maximum number of characters of a value that are shown. */
const SHOWN = 200;

function Differences({ title, one, other }: { readonly title: string; readonly one: string; readonly other: string }) {
  const { say } = useSpeech();
  const rows = jsonDifference(one, other);
  if (rows.length === 0) return <p class="muted">{say("sameIn", { part: title })}</p>;
  const short = (text: string | undefined) => (text === undefined ? "-" : text.slice(0, SHOWN));
  return (
    <table class="differences">
      <caption>{say("differsIn", { part: title })}</caption>
      <thead>
        <tr>
          <th scope="col">{say("field")}</th>
          <th scope="col">{say("thisOne")}</th>
          <th scope="col">{say("otherOne")}</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.path}>
            <th scope="row">{row.path}</th>
            <td>{short(row.one)}</td>
            <td>{short(row.other)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
