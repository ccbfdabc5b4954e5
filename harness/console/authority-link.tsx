/** Shows a link from the page Audit to the pages of the emulated tax authority. */
import { useEmulatorSpeech } from "./texts.js";

export function AuthorityLink({ address }: { readonly address: string }) {
  const { say } = useEmulatorSpeech();
  return (
    <>
      <p>
        <a href={address} target="_blank" rel="noreferrer">
          {say("openAuthority")}
        </a>
      </p>
      <p class="muted">{say("authorityWarning")}</p>
    </>
  );
}
