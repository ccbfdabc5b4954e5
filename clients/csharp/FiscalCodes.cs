using System.Collections.Generic;

// Written by `npm run docs` from src/fiscal/codes.ts. Do not edit.
namespace Fiscal
{
    /// <summary>What a till does next, and what the code means.</summary>
    public sealed class FiscalCodes
    {
        public string Action { get; private set; }
        public string Meaning { get; private set; }

        private FiscalCodes(string action, string meaning)
        {
            Action = action;
            Meaning = meaning;
        }

        public static FiscalCodes Of(string code)
        {
            FiscalCodes known;
            return All.TryGetValue(code, out known) ? known : new FiscalCodes("call", "unknown code");
        }

        public static readonly IReadOnlyDictionary<string, FiscalCodes> All = new Dictionary<string, FiscalCodes>
        {
            { "0000", new FiscalCodes("none", "All OK") },
            { "0100", new FiscalCodes("none", "PIN verified") },
            { "0210", new FiscalCodes("none", "Tax authority reachable") },
            { "0220", new FiscalCodes("none", "Tax authority not reachable") },
            { "1100", new FiscalCodes("audit", "Store of unsent audit packages is 90 % full") },
            { "1300", new FiscalCodes("insert-card", "Smart card is not present") },
            { "1400", new FiscalCodes("audit", "Audit required") },
            { "1500", new FiscalCodes("enter-pin", "PIN required") },
            { "1999", new FiscalCodes("repeat", "Other warning, see mssc or details") },
            { "2100", new FiscalCodes("enter-pin", "Incorrect PIN") },
            { "2110", new FiscalCodes("call", "Card locked: no PIN attempts are left") },
            { "2210", new FiscalCodes("audit", "Secure Element locked: amount limit reached, signing disabled by the tax authority, or invoice counter of the card used up") },
            { "2220", new FiscalCodes("repeat", "Cannot connect to the Secure Element") },
            { "2230", new FiscalCodes("call", "Card protocol is not supported") },
            { "2310", new FiscalCodes("correct", "Invalid tax labels") },
            { "2400", new FiscalCodes("call", "Not configured") },
            { "2800", new FiscalCodes("correct", "Required field is missing") },
            { "2801", new FiscalCodes("correct", "Value is too long") },
            { "2802", new FiscalCodes("correct", "Value is too short") },
            { "2803", new FiscalCodes("correct", "Value has the wrong length") },
            { "2804", new FiscalCodes("correct", "Value is out of range") },
            { "2805", new FiscalCodes("correct", "Invalid value") },
            { "2806", new FiscalCodes("correct", "Invalid format") },
            { "2807", new FiscalCodes("correct", "List has too few entries") },
            { "2808", new FiscalCodes("correct", "List has too many entries") },
            { "2809", new FiscalCodes("call", "Invoice time is outside the validity of the card's certificate") },
        };
    }
}
