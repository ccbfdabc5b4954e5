/** Situations that come with the emulator: one click and the till is in it. */
import { useState } from "preact/hooks";
import { useTold } from "./api.js";
import { type ShippedScenario, useControls } from "./control.js";
import { useSpeech } from "./texts.js";
import { Panel } from "./ui.js";

export function ScenariosPanel() {
  const { say } = useSpeech();
  const { url, act } = useControls();
  const scenarios = useTold<ShippedScenario[]>(`${url}/scenarios`) ?? [];
  const [search, setSearch] = useState("");
  const [started, setStarted] = useState("");
  const sought = search.trim().toLowerCase();
  const found = scenarios.filter(({ name, title }) => `${name} ${title}`.toLowerCase().includes(sought));
  return (
    <Panel title={say("scenarios")}>
      <p class="muted">{say("scenariosAbout")}</p>
      <label>
        {say("search")}
        <input type="search" value={search} onInput={(event) => setSearch(event.currentTarget.value)} />
      </label>
      <p role="status" class="muted">
        {started !== "" && say("started", { name: started })}
      </p>
      {/* A region that scrolls must be reachable with keys: its buttons are. */}
      <ul class="entries scroll">
        {found.map(({ name, title, given }) => (
          <li key={name}>
            <span class="grow">
              {title} <code class="muted">{name}</code>
            </span>
            <button
              type="button"
              aria-label={`${say("start")}: ${name}`}
              onClick={() => {
                act("POST", "/given", given);
                setStarted(name);
              }}
            >
              {say("start")}
            </button>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
