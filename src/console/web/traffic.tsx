/** Traffic: what tills have sent, what came back, and what the card was asked meanwhile. */
import { parse, stringify } from "lossless-json";
import { useEffect, useRef, useState } from "preact/hooks";
import { call, useEveryChange } from "./api.js";
import type { JournalEntry } from "./control.js";
import { useSpeech } from "./texts.js";
import { download, Problem, useDeed } from "./ui.js";

/** Entries on the page. */
const MOST = 200;

/** @param control address of the emulator's control interface; undefined where the service itself keeps the traffic of a real card */
export function TrafficPage({ control, id }: { readonly control: string | undefined; readonly id: string }) {
  const source = control === undefined ? "/console/traffic" : `${control}/journal`;
  const { say } = useSpeech();
  const [entries, setEntries] = useState<readonly JournalEntry[]>([]);
  const chosen = Number(id);
  const known = useRef(entries);
  known.current = entries;
  const [reached, setReached] = useState(true);
  const { problem, run } = useDeed();
  const asked = useRef(0);
  const refresh = () => {
    const mine = ++asked.current;
    fetchSince(source, known.current).then(
      (fetched) => {
        // An answer that was overtaken knows less.
        if (mine === asked.current) setEntries(fetched);
        setReached(true);
      },
      () => setReached(false),
    );
  };
  useEveryChange(refresh);
  useEffect(refresh, []);
  const entry = entries.find(({ id }) => id === chosen);
  const save = async () => {
    const { name, scenario } = await call<{ name: string; scenario: string }>(`${control}/recording`);
    download(`${name}.yaml`, new Blob([scenario], { type: "application/yaml" }));
  };
  const forget = async () => {
    if (control === undefined) await call("/console/traffic/forget", { method: "POST" });
    else {
      await call(source, { method: "DELETE" });
      await call(`${control}/recording`, { method: "DELETE" });
    }
    // What is on its way was asked for before.
    asked.current++;
    setEntries([]);
  };
  return (
    <div class={entry ? "sides chosen" : "sides"}>
      <section class="panel list">
        <h1>{say("traffic")}</h1>
        <div class="row">
          {control !== undefined && (
            <button type="button" class="main" onClick={() => run(save)}>
              {say("saveScenario")}
            </button>
          )}
          <button type="button" onClick={() => run(forget)}>
            {say(control === undefined ? "clearTraffic" : "forgetTraffic")}
          </button>
        </div>
        <Problem
          text={reached ? problem : say(control === undefined ? "notReached" : "controlNotReached", { url: source })}
        />
        {entries.length === 0 ? (
          <p class="muted">{say("noTraffic")}</p>
        ) : (
          <EntryTable entries={entries} chosen={chosen} />
        )}
      </section>
      {entry ? <EntryPanel entry={entry} /> : <p class="panel muted hint">{say("chooseTraffic")}</p>}
    </div>
  );
}

/** Newest first. One that was under way is asked for again. */
async function fetchSince(source: string, known: readonly JournalEntry[]): Promise<JournalEntry[]> {
  const done = known.filter(({ status, answer }) => status !== 0 || answer !== "");
  const waiting = known.filter((entry) => !done.includes(entry)).map(({ id }) => id);
  const since = waiting.length > 0 ? Math.min(...waiting) - 1 : (known[0]?.id ?? 0);
  const fresh = await call<JournalEntry[]>(`${source}?since=${since}&last=${MOST}`);
  return [...fresh.toReversed(), ...done.filter(({ id }) => id <= since)].slice(0, MOST);
}

interface EntryTableProps {
  readonly entries: readonly JournalEntry[];
  readonly chosen: number;
}

function EntryTable({ entries, chosen }: EntryTableProps) {
  const { say, clockTime } = useSpeech();
  return (
    <table class="traffic">
      <thead>
        <tr>
          <th scope="col">{say("time")}</th>
          <th scope="col">{say("request")}</th>
          <th scope="col">{say("answer")}</th>
          <th scope="col" class="number">
            ms
          </th>
        </tr>
      </thead>
      <tbody>
        {entries.map((entry) => (
          <tr key={entry.id} class={entry.id === chosen ? "chosen" : ""}>
            <td>{clockTime(entry.at)}</td>
            <th scope="row">
              <a href={`#/traffic/${entry.id}`} aria-current={entry.id === chosen ? "true" : undefined}>
                {entry.method} {breakable(entry.path)}
              </a>
            </th>
            <td>
              <AnswerCode entry={entry} />
            </td>
            <td class="number">{entry.status === 0 ? "" : entry.ms}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** A long path may go on in the next line after any slash. */
function breakable(path: string) {
  return path.split(/(?<=\/)/).flatMap((part) => [part, <wbr key={part} />]);
}

/** The status, and the code or the counter that says it all. */
function AnswerCode({ entry: { status, answer } }: { readonly entry: JournalEntry }) {
  const { say } = useSpeech();
  if (status === 0) return <span class="tag care">{say(answer === "" ? "underWay" : "dropped")}</span>;
  return (
    <>
      <span class={`tag ${status < 400 ? "good" : "bad"}`}>{status}</span> {gistOf(answer)}
    </>
  );
}

function gistOf(answer: string): string {
  try {
    const told = JSON.parse(answer) as { code?: string; invoiceCounter?: string; gsc?: readonly string[] } | string;
    // A PIN that came as text is answered with the bare code, which reads as a number.
    if (typeof told !== "object") return String(told);
    return told.code ?? told.invoiceCounter ?? told.gsc?.join(" ") ?? "";
  } catch {
    return answer.length < 10 ? answer : "";
  }
}

function EntryPanel({ entry }: { readonly entry: JournalEntry }) {
  const { say } = useSpeech();
  const { method, path, status, ms, headers, body, answerHeaders, answer, apdus } = entry;
  return (
    <article class="panel entry">
      <a class="back" href="#/traffic">
        {say("back")}
      </a>
      <h2>
        {method} {path}
      </h2>
      <p>
        <AnswerCode entry={entry} /> {status !== 0 && <span class="muted">{ms} ms</span>}
      </p>
      <h3>{say("request")}</h3>
      <Content headers={headers} body={body} />
      <h3>{say("answer")}</h3>
      <Content headers={answerHeaders} body={answer} />
      <h3>{say("apdus")}</h3>
      {apdus.length === 0 ? <p class="muted">{say("noApdus")}</p> : <Apdus apdus={apdus} />}
    </article>
  );
}

function Content({ headers, body }: { readonly headers: JournalEntry["headers"]; readonly body: string }) {
  const { say } = useSpeech();
  return (
    <>
      <details>
        <summary>{say("headers")}</summary>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable with keys */}
        <pre class="json" tabIndex={0}>
          {Object.entries(headers).map(([name, value]) => `${name}: ${String(value)}\n`)}
        </pre>
      </details>
      {body !== "" && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable with keys
        <pre class="json" tabIndex={0}>
          {readable(body)}
        </pre>
      )}
    </>
  );
}

/** A line a field, numbers as they were written, an image cut short. As it came where it is no JSON, or a key stands twice. */
function readable(body: string): string {
  try {
    const short = (_key: string, value: unknown) =>
      typeof value === "string" && value.startsWith("data:image") ? `${value.slice(0, 40)}…` : value;
    return stringify(parse(body), short, 2) ?? body;
  } catch {
    return body;
  }
}

function Apdus({ apdus }: Pick<JournalEntry, "apdus">) {
  const { say } = useSpeech();
  return (
    <ol class="apdus">
      {apdus.map(({ operation, command, answer, result }, i) => (
        <li key={i}>
          <strong>{operation}</strong> <span class="muted">{result}</span>
          <details>
            <summary>{say("bytes")}</summary>
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: as above */}
            <pre class="json" tabIndex={0}>
              → {command}
              {"\n"}← {answer ?? "-"}
            </pre>
          </details>
        </li>
      ))}
    </ol>
  );
}
