/** The whole of it: snapshots, the service's restarts, back to the start. */
import { useState } from "preact/hooks";
import { useLive } from "./api.js";
import { Act } from "./card-actions.js";
import { type StoreState, useControls, useErasing } from "./control.js";
import { useSpeech } from "./texts.js";
import { Panel } from "./ui.js";

export function WorldPanel() {
  const { say } = useSpeech();
  const { url, act } = useControls();
  const snapshots = useLive<string[]>(`${url}/snapshots`).value ?? [];
  const store = useLive<StoreState>(`${url}/store`).value;
  const erasing = useErasing();
  const [name, setName] = useState("");
  return (
    <Panel title={say("world")}>
      {store && <p>{say("stored", { complete: store.complete, open: store.open, lost: store.lost })}</p>}
      <form
        class="value"
        onSubmit={(event) => {
          event.preventDefault();
          act("PUT", `/snapshots/${encodeURIComponent(name)}`);
          setName("");
        }}
      >
        <label>
          {say("snapshotName")}
          <input
            required
            pattern="[A-Za-z0-9._\-]{1,64}"
            value={name}
            onInput={(event) => setName(event.currentTarget.value)}
          />
        </label>
        <button type="submit">{say("takeSnapshot")}</button>
      </form>
      <ul class="entries">
        {snapshots.map((snapshot) => (
          <li key={snapshot}>
            <span class="grow">{snapshot}</span>
            <button
              type="button"
              aria-label={`${say("restore")}: ${snapshot}`}
              onClick={() => erasing(() => act("POST", `/snapshots/${encodeURIComponent(snapshot)}/restore`))}
            >
              {say("restore")}
            </button>
          </li>
        ))}
      </ul>
      <div class="row">
        <Act text="restartClean" path="/service/restart" body={{ how: "clean" }} />
        <Act text="restartKilled" path="/service/restart" body={{ how: "killed" }} />
        <button type="button" onClick={() => erasing(() => act("POST", "/reset"))}>
          {say("toStart")}
        </button>
      </div>
    </Panel>
  );
}
