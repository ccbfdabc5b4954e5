"""A client for tillseal and services with the same API. Standard library only; Python 3.8 and later."""

import base64
import http.client
import json
import time
import urllib.error
import urllib.parse
import urllib.request
from decimal import ROUND_HALF_UP, Decimal

from fiscal_codes import CODES

PNG = "data:image/png;base64,"
# The beginning of a GIF in base64.
GIF = "R0lGOD"


class FiscalError(Exception):
    """The service refused the request. `code` has four digits; `action` says what the till does next (fiscal_codes.py)."""

    def __init__(self, code, message, details=""):
        super().__init__(f"{code} {message} {details}".strip())
        self.code = code
        self.action, self.meaning = CODES.get(code, ("call", message))
        self.details = details


class AnswerLost(Exception):
    """No answer came. The card may have signed: send the same invoice with the same RequestId until an answer comes."""

    def __init__(self, request_id):
        super().__init__(f"no answer to {request_id}; send it again with the same RequestId")
        self.request_id = request_id


class FiscalClient:
    def __init__(self, url, timeout=30.0, attempts=3, pause=1.0, language=None):
        """url: `http://localhost:8431/api/v3`

        timeout: seconds for the connection, and for each silence in an answer.
        pause: seconds before the second attempt; it doubles with each further attempt.
        language: of receipts and of error messages, such as "sr-Latn-RS"; the service chooses without one.
        """
        self.url = url.rstrip("/")
        self.timeout = timeout
        self.attempts = attempts
        self.pause = pause
        self.language = language
        # The service is on this machine, so ignore a proxy that the environment names.
        self.opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))

    def verify_pin(self, pin):
        """Opens the card. Raises FiscalError 2100 (wrong), 2110 (locked), 1300 (no card), 2220."""
        code = self._send("POST", "/pin", pin.encode(), {"Content-Type": "text/plain"}).decode().strip('" \r\n')
        if code != "0100":
            raise FiscalError(code, CODES.get(code, ("call", "unknown code"))[1])

    def status(self):
        return json.loads(self._send("GET", "/status"), parse_float=Decimal)

    def submit(self, invoice, request_id):
        """Signs an invoice and returns the receipt, its amounts as Decimal. A repeat with the same RequestId is never signed twice.

        request_id: up to 32 characters, new for each invoice and stored by the till before it calls.
        Raises FiscalError, and AnswerLost after the last attempt.
        """
        # json writes no Decimal; the shortest text of a float has all of its digits, up to 15.
        body = json.dumps(invoice, default=float).encode()
        headers = {"Content-Type": "application/json", "RequestId": request_id}
        for attempt in range(self.attempts):
            if attempt > 0:
                time.sleep(self.pause * 2 ** (attempt - 1))
            try:
                return json.loads(self._send("POST", "/invoices", body, headers), parse_float=Decimal)
            # ValueError: a truncated answer is not valid JSON.
            except (OSError, http.client.HTTPException, ValueError) as error:
                lost = error
        raise AnswerLost(request_id) from lost

    def find(self, request_id):
        """The stored receipt of an earlier submit. Raises FiscalError if the service does not know the RequestId."""
        return json.loads(self._send("GET", "/invoices/" + urllib.parse.quote(request_id, "")), parse_float=Decimal)

    def esc_pos(self, request_id):
        """The same receipt as bytes for a receipt printer (ESC/POS)."""
        path = "/invoices/" + urllib.parse.quote(request_id, "") + "/escpos"
        return self._send("GET", path, headers={"Accept": "*/*"})

    def _send(self, method, path, body=None, headers=None):
        language = {} if self.language is None else {"Accept-Language": self.language}
        all_headers = {"Accept": "application/json", **language, **(headers or {})}
        request = urllib.request.Request(self.url + path, body, all_headers, method=method)
        try:
            with self.opener.open(request, timeout=self.timeout) as answer:
                return answer.read()
        except urllib.error.HTTPError as refusal:
            raise self._error(refusal.read()) from None

    @staticmethod
    def _error(body):
        bare = body.decode("utf-8", "replace").strip('" \r\n')
        if len(bare) == 4 and bare.isdigit():
            return FiscalError(bare, CODES.get(bare, ("call", "unknown code"))[1])
        try:
            record = json.loads(body)
        except ValueError:
            return FiscalError("1999", "the answer is not JSON", body[:200].decode("utf-8", "replace"))
        if not isinstance(record, dict) or "code" not in record:
            return FiscalError("1999", "the answer is not an error record", body[:200].decode("utf-8", "replace"))
        return FiscalError(record["code"], record.get("message") or "", record.get("details") or "")


def item(name, quantity, unit_price, *labels):
    """An item of an invoice. Prices include tax. quantity and unit_price: decimal text, int or Decimal, such as "0.25"."""
    quantity, unit_price = (Decimal(str(number)) for number in (quantity, unit_price))
    total = (quantity * unit_price).quantize(Decimal("0.01"), ROUND_HALF_UP)
    return {"name": name, "quantity": quantity, "unitPrice": unit_price, "labels": list(labels), "totalAmount": total}


def sale(items, payment_type="Cash", invoice_type="Normal"):
    amount = sum(line["totalAmount"] for line in items)
    return {
        "invoiceType": invoice_type,
        "transactionType": "Sale",
        "payment": [{"amount": amount, "paymentType": payment_type}],
        "items": items,
    }


def advance(items, payment_type="Cash"):
    return sale(items, payment_type, "Advance")


def pointing_to(receipt, invoice):
    """Number and time of an earlier receipt. The time chooses the tax rates of refunds and copies."""
    return {
        **invoice,
        "referentDocumentNumber": receipt["invoiceNumber"],
        "referentDocumentDT": receipt["sdcDateTime"],
    }


def refund(invoice, receipt):
    """Refunds an invoice. This also closes an advance, whose final invoice then names this refund."""
    return pointing_to(receipt, {**invoice, "transactionType": "Refund"})


def copy(invoice, receipt):
    return pointing_to(receipt, {**invoice, "invoiceType": "Copy"})


def save_qr(receipt, file):
    """Writes the QR code: a PNG, or the GIF of a device. Raises ValueError if the receipt has none (omitQRCodeGen)."""
    data = receipt.get("verificationQRCode") or ""
    if not data.startswith((PNG, GIF)):
        raise ValueError("the receipt has no picture of a QR code; look at omitQRCodeGen")
    with open(file, "wb") as out:
        out.write(base64.b64decode(data[len(PNG) :] if data.startswith(PNG) else data))
