/*
 * The conformance suite starts this program as the client of each scenario, with the address of the scenario's MCP
 * server as its last argument. The program passes the scenario to the driver that `protocol-conformance.test.ts` has
 * started. The driver runs the scenario in the product, and the program exits with 0 when the scenario succeeded.
 */
const {
  CONFORMANCE_CONTROL,
  MCP_CONFORMANCE_SCENARIO,
  MCP_CONFORMANCE_CONTEXT,
  MCP_CONFORMANCE_PROTOCOL_VERSION,
} = process.env

const response = await fetch(CONFORMANCE_CONTROL ?? '', {
  method: 'POST',
  body: JSON.stringify({
    url: process.argv.at(-1),
    scenario: MCP_CONFORMANCE_SCENARIO,
    context: MCP_CONFORMANCE_CONTEXT === undefined ? {} : JSON.parse(MCP_CONFORMANCE_CONTEXT),
    revision: MCP_CONFORMANCE_PROTOCOL_VERSION,
  }),
})
process.stdout.write(await response.text())
process.exitCode = response.ok ? 0 : 1
