/** Content that a caller who may not see receipts and settings gets instead of them. */
import { useState } from "preact/hooks";
import type { InfoRecord } from "../records/info.js";
import { call, Refused } from "./api.js";
import { useSpeech } from "./texts.js";
import { Problem, useAction } from "./ui.js";

interface LockedProps {
  readonly info: InfoRecord;
  /** Called when the service accepted the token. */
  readonly opened: () => void;
}

export function Locked({ info: { asksToken }, opened }: LockedProps) {
  const { say } = useSpeech();
  return asksToken ? <TokenEntry opened={opened} /> : <p class="notice">{say("onlyHere")}</p>;
}

function TokenEntry({ opened }: Pick<LockedProps, "opened">) {
  const { say } = useSpeech();
  const [token, setToken] = useState("");
  const { busy, problem, run } = useAction();
  const give = (event: Event) => {
    event.preventDefault();
    run(async () => {
      await call("/console/token", { method: "POST", body: { token } }).catch((error: unknown) => {
        throw error instanceof Refused && error.status === 403 ? new Error(say("tokenWrong")) : error;
      });
      opened();
    });
  };
  return (
    <form class="panel" onSubmit={give}>
      <p>{say("tokenNeeded")}</p>
      <div class="row">
        <label class="grow">
          {say("token")}
          <input
            type="password"
            autocomplete="off"
            spellcheck={false}
            value={token}
            onInput={(event) => setToken(event.currentTarget.value)}
          />
        </label>
        <button type="submit" class="main" disabled={busy || token.trim() === ""}>
          {say("showPrivate")}
        </button>
      </div>
      <Problem text={problem} />
    </form>
  );
}
