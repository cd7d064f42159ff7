import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

/**
 * Tells the service manager that the server is ready. Node has no sockets of the kind that systemd reads, so the
 * program `systemd-notify` writes to it.
 * @throws Error when that program is missing or fails
 */
export async function notifyReady(program = 'systemd-notify'): Promise<void> {
  await promisify(execFile)(program, ['--ready'])
}
