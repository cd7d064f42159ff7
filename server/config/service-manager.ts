/** Whether a service manager, such as systemd with `Type=notify`, waits to hear that the server is ready. */
export function hasServiceManager(): boolean {
  return (process.env['NOTIFY_SOCKET'] ?? '') !== ''
}
