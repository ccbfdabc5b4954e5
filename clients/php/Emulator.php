<?php

declare(strict_types=1);

/**
 * A test fixture: starts `tillseal serve` on free ports and drives its card. For your tests, not for a till.
 * Set TILLSEAL_URL and TILLSEAL_CONTROL_URL, as tillseal rehearse does, to use an emulator that is already running.
 */
final class Emulator
{
    public readonly string $url;
    public readonly string $controlUrl;
    public readonly string $pin;
    /** @var ?resource */
    private $process = null;
    /** @var resource|null the emulator's standard input */
    private $lifeline = null;

    public function __construct()
    {
        $this->pin = '1234';
        $url = getenv('TILLSEAL_URL');
        $control = getenv('TILLSEAL_CONTROL_URL');
        if ($url === false || $control === false) {
            [$this->url, $this->controlUrl] = $this->start();
            return;
        }
        $this->url = "$url/api/v3";
        $this->controlUrl = $control;
    }

    /** Does a step of a scenario: `['card' => 'unplug']`, `['clock' => ['advance' => '1h']]`. */
    public function do(array $step): mixed
    {
        return $this->control('POST', '/do', $step);
    }

    public function insertCard(): void
    {
        $this->do(['card' => 'insert']);
    }

    public function removeCard(): void
    {
        $this->do(['card' => 'remove']);
    }

    public function lockCard(): void
    {
        $this->patchCard(['locked' => true]);
    }

    /** @param array $fields `['limit' => '100']`, `['locked' => true]`: amounts are decimal text */
    public function patchCard(array $fields): void
    {
        $this->do(['card' => ['patch' => $fields]]);
    }

    /** @return array<string, int> `['total' => 2, 'NS' => 1, 'NR' => 1, ...]` */
    public function counters(): array
    {
        return $this->control('GET', '/card')['counters'];
    }

    /** @param array $fault `['on' => 'sign', 'nth' => 1, 'kind' => 'removedAfter']` */
    public function fault(array $fault): void
    {
        $this->do(['faults' => [$fault]]);
    }

    public function removeFaults(): void
    {
        $this->do(['faults' => 'clear']);
    }

    /** Lets the tax authority audit the card: the sum becomes 0. */
    public function audit(): void
    {
        $this->do(['authority' => 'audit']);
    }

    /**
     * Requests since the start or the last reset, the oldest first.
     *
     * @param array $where `['requestId' => 'order-1']`, `['signed' => true]`, `['body' => ['cashier' => 'Ana']]`
     * @return array<int, array> each with `method`, `path`, `requestId`, `body`, `status`, `code`, `answer`, `signed`
     */
    public function requests(array $where = []): array
    {
        return $this->control('POST', '/traffic/find', ['where' => (object) $where])['requests'];
    }

    /** Resets card, store, clock and faults to the start. */
    public function reset(): void
    {
        $this->control('POST', '/reset', new stdClass());
    }

    /** Restarts in another situation: `['settings' => ['answerForm' => 'device']]`; `[]` is the usual one. */
    public function given(array $given): void
    {
        $this->control('POST', '/given', (object) $given);
    }

    public function close(): void
    {
        if ($this->process !== null) {
            proc_terminate($this->process);
            proc_close($this->process);
            $this->process = null;
        }
    }

    /** @return array{string, string} addresses of the service and of the control interface */
    private function start(): array
    {
        // Not `npx tillseal`: the signal that ends npx would leave the emulator behind.
        $command = getenv('TILLSEAL') ?: 'node node_modules/tillseal/dist/src/cli.js';
        // `exec`: the signal of close() must reach tillseal, not a shell in front of it.
        $line = (PHP_OS_FAMILY === 'Windows' ? '' : 'exec ')
            . "$command serve --port 0 --control-port 0 --no-authority --until-stdin-ends";
        $this->process = proc_open($line, [['pipe', 'r'], ['pipe', 'w']], $pipes);
        // Its end ends the emulator, also when this program is killed.
        $this->lifeline = $pipes[0];
        $said = '';
        while (($text = fgets($pipes[1])) !== false) {
            $said .= $text;
            if (trim($text) === 'ready') {
                preg_match('~listens on (http://\S+/api/v3)~', $said, $url);
                preg_match('~^(http://\S+)/control drives~m', $said, $control);
                return [$url[1], $control[1]];
            }
        }
        throw new RuntimeException("$command did not start: $said");
    }

    private function control(string $method, string $path, array|stdClass|null $body = null): mixed
    {
        $http = ['method' => $method, 'header' => ['Connection: close'], 'timeout' => 30];
        if ($body !== null) {
            $http['content'] = json_encode($body, JSON_THROW_ON_ERROR);
            $http['header'][] = 'Content-Type: application/json';
        }
        $context = stream_context_create(['http' => [...$http, 'ignore_errors' => true]]);
        $stream = fopen("$this->controlUrl/control$path", 'r', false, $context);
        $answer = stream_get_contents($stream);
        if (!preg_match('~ 2\d\d~', stream_get_meta_data($stream)['wrapper_data'][0])) {
            throw new RuntimeException("$method $path: $answer");
        }
        return $answer === '' ? null : json_decode($answer, true);
    }
}
