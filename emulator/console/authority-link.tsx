/** The way from the page Audit to the pages of the emulated tax authority. */
import { useSpeech } from "../../src/console/web/texts.js";

export function AuthorityLink({ address }: { readonly address: string }) {
  const { say } = useSpeech();
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
