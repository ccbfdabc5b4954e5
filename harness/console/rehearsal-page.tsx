/** The page Rehearsal. It shows the current list of an approval, and the guide of situations. */
import { useState } from "preact/hooks";
import { call, useLive, useOnce } from "../../src/console/web/api.js";
import { pairIn } from "../../src/console/web/texts/pair.js";
import { Panel, Problem, useAction } from "../../src/console/web/ui.js";
import type { RehearsalRecord, Row, RowState } from "../rehearse/row.js";
import { SITUATIONS, type Situation } from "../rehearse/situations.js";
import { EYES_TEXTS, GUIDE_TEXTS, RULE_TEXTS } from "./texts/rehearsal.js";
import { useEmulatorSpeech } from "./texts.js";

/** Shows the page. @param control address of the control interface */
export function RehearsalPage({ control }: { readonly control: string }) {
  const { say } = useEmulatorSpeech();
  const { value, error, refresh } = useLive<RehearsalRecord>(`${control}/rehearsal`);
  const action = useAction(refresh);
  if (!value) return <Problem text={error ? say("controlNotReached", { url: control }) : ""} />;
  const { rows, requests } = value;
  const count = (state: RowState) => rows.filter((row) => row.state === state).length;
  const counts = { passed: count("passed"), failed: count("failed"), open: count("notSeen"), eyes: count("eyes") };
  return (
    <>
      <h1>{say("rehearsal")}</h1>
      <p>{say("rehearsalOrigin")}</p>
      <Problem text={action.problem} />
      <div class="row">
        <p role="status" class="grow">
          {say("rehearsalSummary", counts)} {say("rehearsalRequests", { n: requests })}
        </p>
        <button type="button" onClick={() => action.run(() => call(`${control}/rehearsal`, { method: "DELETE" }))}>
          {say("rehearsalAgain")}
        </button>
      </div>
      <Guide put={(id) => action.run(() => call(`${control}/rehearsal/situation`, { method: "POST", body: { id } }))} />
      <Panel title={say("rehearsalList")}>
        <ul class="entries rehearsal">
          {rows.map((row) => (
            <RowOfList key={row.id} row={row} control={control} />
          ))}
        </ul>
      </Panel>
    </>
  );
}

function Guide({ put }: { readonly put: (id: string) => void }) {
  const { say, language } = useEmulatorSpeech();
  const [current, setCurrent] = useState<Situation>();
  const textOf = ({ id, text, todo }: Situation) => {
    const serbian = GUIDE_TEXTS[id];
    return {
      text: pairIn(language, { english: text, serbian: serbian?.text ?? text }),
      todo: pairIn(language, { english: todo, serbian: serbian?.todo ?? todo }),
    };
  };
  return (
    <Panel title={say("guide")}>
      <p class="muted">{say("guideAbout")}</p>
      <ul class="entries">
        {SITUATIONS.map((situation) => (
          <li key={situation.id}>
            <span class="grow">
              {textOf(situation).text}
              {current === situation && <strong class="todo"> {textOf(situation).todo}</strong>}
            </span>
            <button
              type="button"
              aria-label={`${say("putSituation")}: ${textOf(situation).text}`}
              onClick={() => {
                put(situation.id);
                setCurrent(situation);
              }}
            >
              {say("putSituation")}
            </button>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function RowOfList({ row, control }: { readonly row: Row; readonly control: string }) {
  const { say, language } = useEmulatorSpeech();
  const [opened, setOpened] = useState(false);
  const { id, text, source, state, requests, value, missing, refused, todo, change } = row;
  const serbian = RULE_TEXTS[id];
  const inWords = (english: string | undefined, other: string | undefined) =>
    english === undefined ? undefined : pairIn(language, { english, serbian: other ?? english });
  const title = inWords(text, serbian?.text ?? EYES_TEXTS[id]);
  const lines = [
    ["rowWrong", value],
    ["rowChange", inWords(change, serbian?.change)],
    ["rowTodo", inWords(todo, serbian?.todo)],
    ["rowMissing", missing?.join(", ")],
    ["rowRefused", refused],
  ] as const;
  return (
    <li>
      <details class="grow" onToggle={(event) => setOpened(event.currentTarget.open)}>
        <summary>
          <span class={`badge ${state}`}>{say(STATE_TEXTS[state])}</span> {title} <code class="muted">{id}</code>
        </summary>
        <dl class="facts">
          {lines.map(([name, line]) =>
            line === undefined ? null : (
              <div key={name}>
                <dt>{say(name)}</dt>
                <dd>{line}</dd>
              </div>
            ),
          )}
          <div>
            <dt>{say("rowSource")}</dt>
            <dd>{source}</dd>
          </div>
        </dl>
        {opened && requests.map((request) => <ShownRequest key={request} id={request} control={control} />)}
      </details>
    </li>
  );
}

const STATE_TEXTS = {
  passed: "rowPassed",
  failed: "rowFailed",
  notSeen: "rowNotSeen",
  eyes: "rowEyes",
} as const satisfies Record<RowState, string>;

interface LoggedRequest {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly answer: string;
}

/** Shows a link to a request that decided the result, and the receipt of the request. */
function ShownRequest({ id, control }: { readonly id: number; readonly control: string }) {
  const { say } = useEmulatorSpeech();
  const [logged] = useOnce<LoggedRequest[]>(`${control}/traffic?since=${id - 1}&before=${id + 1}`) ?? [];
  const receipt = logged && journalIn(logged.answer);
  return (
    <div>
      <a href={`#/traffic/${id}`}>
        {say("rowRequest", { id })} {logged && `${logged.method} ${logged.path} ${logged.status || ""}`}
      </a>
      {receipt !== undefined && <pre class="paper">{receipt}</pre>}
    </div>
  );
}

function journalIn(answer: string): string | undefined {
  try {
    const { journal } = JSON.parse(answer) as { readonly journal?: unknown };
    return typeof journal === "string" ? journal : undefined;
  } catch {
    return undefined;
  }
}
