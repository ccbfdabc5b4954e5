/** Shows the record of changes below the settings: what was changed and when, with the newest change first. */
import type { ChangesRecord } from "../records/changes.js";
import { useLive } from "./api.js";
import { type TextKey, useSpeech } from "./texts.js";
import { Panel, Problem } from "./ui.js";

type Change = ChangesRecord["changes"][number];

const KINDS: Readonly<Record<Change["kind"], TextKey>> = {
  program: "changeProgram",
  settings: "settings",
  rates: "changeRates",
  parameters: "changeParameters",
  clock: "changeClock",
  erased: "changeErased",
  card: "changeCard",
  lost: "changeLost",
};

export function RecordedChanges() {
  const { say, time, setting } = useSpeech();
  const { value, error } = useLive<ChangesRecord>("/console/changes");
  return (
    <Panel title={say("changes")}>
      <p class="muted">{say("changesAbout")}</p>
      <Problem text={error?.message ?? ""} />
      {value?.changes.map(({ id, at, kind, facts }) => (
        <details key={id}>
          <summary>
            {time(at)} · {say(KINDS[kind])} · {facts.length}
          </summary>
          <ul class="changes">
            {facts.map(({ fact, from, to }) => (
              <li key={fact}>
                <strong>{kind === "settings" ? setting(fact, fact).title : fact}</strong>{" "}
                {from !== null && <del>{from}</del>} {to !== null && <ins>{to}</ins>}
              </li>
            ))}
          </ul>
        </details>
      ))}
    </Panel>
  );
}
