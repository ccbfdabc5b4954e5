/** The page Rehearsal. It shows the current list of an approval, and the guide of situations. */
import { useState } from "preact/hooks";
import type { ScenarioRecord } from "../../emulator/world/card-types.js";
import type { TrafficRecord } from "../../src/console/records/traffic.js";
import { useLive, useOnce } from "../../src/console/web/api.js";
import { Ask, type Question } from "../../src/console/web/ask.js";
import { pairIn } from "../../src/console/web/texts/pair.js";
import { Panel, Problem, Waiting } from "../../src/console/web/ui.js";
import { textsOf } from "../rehearse/texts.js";
import { fieldsOf, jsonIn } from "../scenario/json.js";
import type { Outcome, Reason, RehearsalRecord, Row } from "../scenario/row.js";
import { Button } from "./card-actions.js";
import { ControlsContext, useBeginning, useControls, useNewControls } from "./control.js";
import { useEmulatorSpeech } from "./texts.js";

/** Shows the page. @param control address of the control interface */
export function RehearsalPage({ control }: { readonly control: string }) {
  const { say } = useEmulatorSpeech();
  const { value, error, refresh } = useLive<RehearsalRecord>(`${control}/rehearsal`);
  const [question, setQuestion] = useState<Question>();
  const controls = useNewControls(control, setQuestion, refresh);
  if (!value) return <Waiting title={say("rehearsal")} problem={error && say("controlNotReached", { url: control })} />;
  const { rows, requests, refused } = value;
  const count = (outcome: Outcome) => rows.filter((row) => row.outcome === outcome).length;
  const [passed, failed, open, eyes] = [count("passed"), count("failed"), count("not seen"), count("needs a person")];
  return (
    <ControlsContext.Provider value={controls}>
      <h1>{say("rehearsal")}</h1>
      <p>{say("rehearsalOrigin")}</p>
      <Problem text={controls.problem} />
      <div class="row">
        <p role="status">
          {say("rehearsalSummary", { passed, failed, open, eyes })} {say("rehearsalRequests", { n: requests })}
        </p>
        <Button text={say("rehearsalAgain")} act={() => controls.act("DELETE", "/rehearsal")} />
      </div>
      <Guide />
      <Panel title={say("rehearsalList")}>
        {refused !== undefined && (
          <p>
            {say("rowRefused")}: {refused}
          </p>
        )}
        <ul class="entries rehearsal">
          {rows
            .toSorted((a, b) => ORDER.indexOf(a.outcome) - ORDER.indexOf(b.outcome))
            .map((row) => (
              <RowOfList key={row.id} row={row} control={control} />
            ))}
        </ul>
      </Panel>
      {question && <Ask question={question} closed={() => setQuestion(undefined)} />}
    </ControlsContext.Provider>
  );
}

/** The situations, each with a button. What to do is shown when the situation stands, so that nobody sells too early. */
function Guide() {
  const { say, language } = useEmulatorSpeech();
  const { url, act } = useControls();
  const begin = useBeginning();
  const [current, setCurrent] = useState("");
  const situations = useOnce<ScenarioRecord[]>(`${url}/scenarios`) ?? [];
  const put = (one: ScenarioRecord) => {
    const begun = () => setCurrent(one.name);
    if (one.driven) act("POST", "/rehearsal/situation", { name: one.name }, begun);
    else begin(one, begun);
  };
  const textIn = ({ serbian, ...english }: ScenarioRecord, name: "about" | "todo") =>
    pairIn(language, { english: english[name] ?? "", serbian: serbian?.[name] ?? "" });
  return (
    <Panel title={say("guide")}>
      <p class="muted">{say("guideAbout")}</p>
      <ul class="entries">
        {situations
          .filter(({ todo }) => todo !== undefined)
          .map((one) => (
            <li key={one.name}>
              <span class="grow">
                {textIn(one, "about")}
                {current === one.name && <strong class="todo"> {textIn(one, "todo")}</strong>}
                {!one.driven && <span class="muted"> ({say("beginsNewTill")})</span>}
              </span>
              <Button
                text={say(one.driven ? "putSituation" : "start")}
                about={textIn(one, "about")}
                act={() => put(one)}
              />
            </li>
          ))}
      </ul>
    </Panel>
  );
}

const UTC_TIME = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;

function RowOfList({ row, control }: { readonly row: Row; readonly control: string }) {
  const { say, language, time } = useEmulatorSpeech();
  const [opened, setOpened] = useState(false);
  const { id, text, outcome, why, exchange } = row;
  const texts = textsOf(id, "serbian");
  const serbian: Partial<Record<string, string>> = { change: texts.change, "to do": texts.todo };
  const title = pairIn(language, { english: text, serbian: texts.text });
  return (
    <li>
      <details class="grow" onToggle={(event) => setOpened(event.currentTarget.open)}>
        <summary>
          <span class={`badge ${outcome}`}>{outcome === "not applicable" ? outcome : say(OUTCOME_TEXTS[outcome])}</span>{" "}
          {title} <code class="muted">{id}</code>
        </summary>
        <dl class="facts">
          {Object.entries(REASON_TEXTS).map(([name, label]) => {
            const english = why[name as Reason];
            return english === undefined ? null : (
              <div key={name}>
                <dt>{say(label)}</dt>
                <dd>{pairIn(language, { english, serbian: serbian[name] ?? english }).replace(UTC_TIME, time)}</dd>
              </div>
            );
          })}
        </dl>
        {opened && exchange.map(({ id: number = 0 }) => <ShownRequest key={number} id={number} control={control} />)}
      </details>
    </li>
  );
}

/** What a developer has to change stands first. */
const ORDER: readonly Outcome[] = ["failed", "not seen", "needs a person", "passed", "not applicable"];

const OUTCOME_TEXTS = {
  passed: "rowPassed",
  failed: "rowFailed",
  "not seen": "rowNotSeen",
  "needs a person": "rowEyes",
} as const satisfies Partial<Record<Outcome, string>>;

const REASON_TEXTS = {
  wrong: "rowWrong",
  change: "rowChange",
  "to do": "rowTodo",
  missing: "rowMissing",
  refused: "rowRefused",
  note: "rowNote",
  source: "rowSource",
} as const satisfies Partial<Record<Reason, string>>;

function ShownRequest({ id, control }: { readonly id: number; readonly control: string }) {
  const { say } = useEmulatorSpeech();
  const [logged] = useOnce<TrafficRecord[]>(`${control}/traffic?since=${id - 1}&before=${id + 1}`) ?? [];
  const { journal } = fieldsOf(jsonIn(logged?.answer ?? ""));
  return (
    <div>
      <a href={`#/traffic/${id}`}>
        {say("rowRequest", { id })} {logged && `${logged.method} ${logged.path} ${logged.status || ""}`}
      </a>
      {typeof journal === "string" && <pre class="paper">{journal}</pre>}
    </div>
  );
}
