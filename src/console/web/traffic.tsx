/** The page Traffic: requests of tills, their answers, and the commands to the card that they caused. */
import { parse, stringify } from "lossless-json";
import { useState } from "preact/hooks";
import { LONGEST_TEXT, shortResult } from "../../http/traffic/traffic-filter.js";
import type { TrafficRecord } from "../records/traffic.js";
import { call } from "./api.js";
import { useSpeech } from "./texts.js";
import { Timeline } from "./timeline.js";
import { type TrafficQuery, useEntry, useTraffic } from "./traffic-list.js";
import { Compare, type CompareProps, SendAgain, sentHeaders } from "./traffic-tools.js";
import { Problem, useAction } from "./ui.js";
import { useSettled } from "./use-settled.js";

interface TrafficPageProps {
  /** Id of the request to show; "" shows none. */
  readonly id: string;
  /** Address from which the page fetches the requests. */
  readonly url: string;
  /** Text that is shown while `url` does not answer. */
  readonly notReached: string;
  readonly forgetText: string;
  readonly forget: () => Promise<unknown>;
  /** A further button, before the button that forgets the requests. */
  readonly more?: { readonly text: string; readonly act: () => Promise<unknown> };
}

/** Shows the requests that the service keeps in memory with a real card, as long as the setting trafficMinutes says. */
export function ServiceTraffic({ id }: { readonly id: string }) {
  const { say } = useSpeech();
  return (
    <TrafficPage
      id={id}
      url="/console/traffic"
      notReached={say("notReached")}
      forgetText={say("clearTraffic")}
      forget={() => call("/console/traffic/forget", { method: "POST" })}
    />
  );
}

export function TrafficPage({ id, url, notReached, forgetText, forget, more }: TrafficPageProps) {
  const { say } = useSpeech();
  const [query, setQuery] = useState<TrafficQuery>({ text: "", failed: false });
  const sought = useSettled(query.text).trim();
  const { entries, reached, older, forgotten } = useTraffic(url, { ...query, text: sought });
  const chosen = Number(id);
  const entry = useEntry(url, chosen, entries);
  const { problem, run } = useAction();
  return (
    <div class={entry ? "sides chosen" : "sides"}>
      <section class="panel list">
        <h1>{say("traffic")}</h1>
        <div class="row">
          {more && (
            <button type="button" class="main" onClick={() => run(more.act)}>
              {more.text}
            </button>
          )}
          <button type="button" onClick={() => run(() => forget().then(forgotten))}>
            {forgetText}
          </button>
        </div>
        <TrafficSearch query={query} change={setQuery} />
        <Problem text={reached ? problem : notReached} />
        {entries.length === 0 ? (
          <p class="muted" role="status">
            {say(sought === "" && !query.failed ? "noTraffic" : "nothingFound")}
          </p>
        ) : (
          <EntryTable entries={entries} chosen={chosen} />
        )}
        {older && (
          <button type="button" onClick={older}>
            {say("older")}
          </button>
        )}
      </section>
      {entry ? <EntryPanel entry={entry} entries={entries} /> : <p class="panel muted hint">{say("chooseTraffic")}</p>}
    </div>
  );
}

interface TrafficSearchProps {
  readonly query: TrafficQuery;
  readonly change: (query: TrafficQuery) => void;
}

function TrafficSearch({ query, change }: TrafficSearchProps) {
  const { say } = useSpeech();
  return (
    <search>
      <label class="grow">
        {say("search")}
        <input
          type="search"
          value={query.text}
          maxLength={LONGEST_TEXT}
          placeholder={say("searchTraffic")}
          onInput={({ currentTarget: { value } }) => change({ ...query, text: value })}
        />
      </label>
      <label class="check">
        <input
          type="checkbox"
          checked={query.failed}
          onChange={({ currentTarget: { checked } }) => change({ ...query, failed: checked })}
        />
        {say("failedOnly")}
      </label>
    </search>
  );
}

interface EntryTableProps {
  readonly entries: readonly TrafficRecord[];
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
                <Line entry={entry} />
              </a>
              <span class="request-id">{requestIdOf(entry)}</span>
              <Notes entry={entry} />
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

/** Shows method and path. The part of the path that all requests have is less visible. */
function Line({ entry: { method, path } }: { readonly entry: TrafficRecord }) {
  const [, before = "", own = ""] = /^(.*\/api\/v3\/)?(.*)$/s.exec(path) ?? [];
  return (
    <>
      <span class="muted">
        {method} {before}
      </span>
      {/* A long path may break after each slash. */}
      <b>{own.split(/(?<=\/)/).flatMap((part) => [part, <wbr key={part} />])}</b>
    </>
  );
}

function requestIdOf({ headers }: TrafficRecord): string | undefined {
  const [, id] = Object.entries(headers).find(([name]) => name.toLowerCase() === "requestid") ?? [];
  return id === undefined ? undefined : String(id);
}

const Notes = ({ entry: { notes = [] } }: { readonly entry: TrafficRecord }) =>
  notes.map((note) => <p key={note}>{note}</p>);

/** Shows the HTTP status, and the code or counter in the answer. */
function AnswerCode({ entry: { status, answer } }: { readonly entry: TrafficRecord }) {
  const { say } = useSpeech();
  if (status === 0) return <span class="tag care">{say(answer === "" ? "underWay" : "dropped")}</span>;
  return (
    <>
      <span class={`tag ${status < 400 ? "good" : "bad"}`}>{status}</span> {shortResult(answer)}
    </>
  );
}

function EntryPanel({ entry, entries }: CompareProps) {
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
      <Notes entry={entry} />
      <div class="row">
        <CopyCurl entry={entry} />
        <SendAgain entry={entry} />
      </div>
      {status !== 0 && <Timeline entry={entry} />}
      <h3>{say("request")}</h3>
      <Content headers={headers} body={body} />
      <h3>{say("answer")}</h3>
      <Content headers={answerHeaders} body={answer} />
      <h3>{say("apdus")}</h3>
      {apdus.length === 0 ? <p class="muted">{say("noApdus")}</p> : <Apdus apdus={apdus} />}
      <Compare key={entry.id} entry={entry} entries={entries} />
    </article>
  );
}

/** Copies a command line that sends the same request again. A PIN is masked, as in the list. */
function CopyCurl({ entry }: { readonly entry: TrafficRecord }) {
  const { say } = useSpeech();
  const { busy, problem, run } = useAction();
  return (
    <>
      <button type="button" disabled={busy} onClick={() => run(() => navigator.clipboard.writeText(curlOf(entry)))}>
        {say("copyCurl")}
      </button>
      <Problem text={problem} />
    </>
  );
}

function curlOf(entry: TrafficRecord): string {
  const { method, path, body } = entry;
  const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
  return [
    `curl -X ${method} ${quoted(location.origin + path)}`,
    ...sentHeaders(entry).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(body === "" ? [] : [`--data-raw ${quoted(body)}`]),
  ].join(" ");
}

function Content({ headers, body }: { readonly headers: TrafficRecord["answerHeaders"]; readonly body: string }) {
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

/**
 * Returns JSON with one field in each line, with numbers as they are written, and with images cut short. A text that is
 * not JSON, or that has a key twice, stays unchanged.
 */
function readable(body: string): string {
  try {
    const short = (_key: string, value: unknown) =>
      typeof value === "string" && value.startsWith("data:image") ? `${value.slice(0, 40)}…` : value;
    return stringify(parse(body), short, 2) ?? body;
  } catch {
    return body;
  }
}

function Apdus({ apdus }: Pick<TrafficRecord, "apdus">) {
  const { say } = useSpeech();
  return (
    <ol class="apdus">
      {apdus.map(({ operation, command, answer, result }, i) => (
        <li key={i}>
          <strong>{operation}</strong> <span class="muted">{result}</span>
          <details>
            <summary>{say("bytes")}</summary>
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable with keys */}
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
