"""A till in Python with the mistake that its argument names: python3 judged-till.py NAME."""
import json
import os
import sys
import urllib.error
import urllib.request
import uuid

API = os.environ["TILLSEAL_URL"] + "/api/v3/"


def call(method, path, body=None, headers=None):
    request = urllib.request.Request(API + path, body, headers or {}, method=method)
    try:
        with urllib.request.urlopen(request) as answer:
            return json.loads(answer.read())
    except urllib.error.HTTPError as error:
        return json.loads(error.read())
    except (OSError, ValueError):
        return None


def control(step):
    body = json.dumps(step).encode()
    address = os.environ["TILLSEAL_CONTROL_URL"] + "/control/do"
    urllib.request.urlopen(urllib.request.Request(address, body, {"Content-Type": "application/json"}))


def post(number="123/1.0", request_id=None, total=0.3, **fields):
    invoice = {
        "invoiceType": "Normal",
        "transactionType": "Sale",
        "invoiceNumber": number,
        "cashier": "Ana",
        "payment": [{"amount": total, "paymentType": "Cash"}],
        "items": [{"name": "Tea /pc", "quantity": 3, "unitPrice": 0.1, "labels": ["A"], "totalAmount": 0.3}],
        **fields,
    }
    headers = {"Content-Type": "application/json", "RequestId": request_id or uuid.uuid4().hex}
    return call("POST", "invoices", json.dumps(invoice).encode(), headers)


def lost():
    control({"faults": [{"on": "answer", "nth": 1, "kind": "connectionDropped"}]})
    post()
    post()


HABITS = {
    "a POS number with something appended": lambda: post(number="123/1.0-7"),
    "a new RequestId after a lost answer": lost,
    "a UUID with hyphens": lambda: post(request_id=str(uuid.uuid4())),
    "tails of doubles": lambda: post(total=0.1 + 0.1 + 0.1),
    "the time of the POS": lambda: post(dateAndTimeOfIssue="2026-01-01T12:00:00Z"),
}

call("GET", "status")
call("POST", "pin", b"1234", {"Content-Type": "text/plain"})
post()
HABITS[sys.argv[1]]()
for cashier in ("Eva 1", "Eva 2", "Eva 3"):
    post(cashier=cashier)
call("GET", "attention")
