/** The part of node-forge that reads and writes ASN.1, which its types know only as a part of the whole. */
declare module "node-forge/lib/asn1.js" {
  import type { asn1 } from "node-forge";

  const module: typeof asn1;
  export default module;
}
