/** Lists the situations that come with the emulator. A click starts a situation. */
import { useState } from "preact/hooks";
import type { ScenarioRecord } from "../../emulator/world/card-types.js";
import { useOnce } from "../../src/console/web/api.js";
import { pairIn } from "../../src/console/web/texts/pair.js";
import { Panel } from "../../src/console/web/ui.js";
import { Button } from "./card-actions.js";
import { useBeginning, useControls, useErasing } from "./control.js";
import { useEmulatorSpeech } from "./texts.js";

export function ScenariosPanel() {
  const { say, language } = useEmulatorSpeech();
  const { url, act } = useControls();
  const shipped = useOnce<ScenarioRecord[]>(`${url}/scenarios`) ?? [];
  const scenarios = shipped.map((one) => ({
    ...one,
    title: pairIn(language, { english: one.title, serbian: one.serbian?.name ?? one.title }),
  }));
  const erasing = useErasing();
  const begin = useBeginning();
  const [search, setSearch] = useState("");
  const [started, setStarted] = useState("");
  const sought = search.trim().toLowerCase();
  const matches = scenarios.filter(({ name, title }) => `${name} ${title}`.toLowerCase().includes(sought));
  return (
    <Panel title={say("scenarios")}>
      <p class="muted">{say("scenariosAbout")}</p>
      <div class="row">
        <Button
          text={say("asStarted")}
          act={() => erasing(() => act("POST", "/reset", { toFirst: true }, () => setStarted(say("asStarted"))))}
        />
        <p role="status" class="muted">
          {started !== "" && say("started", { name: started })}
        </p>
      </div>
      <label>
        {say("search")}
        <input type="search" value={search} onInput={(event) => setSearch(event.currentTarget.value)} />
      </label>
      {/* The list scrolls. The keyboard reaches it through its buttons. */}
      <ul class="entries scroll">
        {matches.map((one) => (
          <li key={`${one.name} ${one.title}`}>
            <span class="grow">
              {one.title} <code class="muted">{one.name}</code>
            </span>
            <Button text={say("start")} about={one.title} act={() => begin(one, () => setStarted(one.title))} />
          </li>
        ))}
      </ul>
    </Panel>
  );
}
