/**
 * Says where the operator finds the link that creates the first account of a closed installation. The link is
 * secret, so it is not shown here.
 */
export function SetUpNotice() {
  return (
    <section
      aria-labelledby="set-up"
      className="mt-8 w-full max-w-dialog rounded-card border border-line bg-surface px-5 py-4 text-left text-sm"
    >
      <h2 id="set-up" className="font-semibold">
        Create the first account
      </h2>
      <p className="mt-1 text-muted">
        No account exists yet. The set-up link is printed in the log of the server, in the line that begins
        with ‘Create the first account at’. To read the log:
      </p>
      <dl className="mt-3 grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1.5">
        {logs.map(([place, command]) => (
          <div key={place} className="col-span-2 grid grid-cols-subgrid items-baseline">
            <dt className="text-muted">{place}</dt>
            <dd>
              <code className="font-mono text-code break-words">{command}</code>
            </dd>
          </div>
        ))}
      </dl>
      <p className="mt-3 text-muted">
        Or invite yourself on the server:
        <code className="mt-1 block font-mono text-code break-words text-ink">
          yonder users invite you@example.com
        </code>
      </p>
    </section>
  )
}

const logs = [
  ['Compose', 'docker compose logs'],
  ['Docker', 'docker logs <container>'],
  ['systemd', 'journalctl -u yonder'],
] as const
