/** Types for node-forge's ASN.1 module, which its own types only describe as part of the whole. */
declare module "node-forge/lib/asn1.js" {
  import type { asn1 } from "node-forge";

  const module: typeof asn1;
  export default module;
}
