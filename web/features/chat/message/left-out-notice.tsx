import { describeLeftOut, describeOffered } from '@yonder/contract/describe-left-out'
import type { LeftOutTools } from '@yonder/contract/tool-call'
import { Link } from 'react-router'
import { Disclosure } from '../../../ui/disclosure.tsx'
import { InertText } from '../../../ui/inert-text.tsx'

const linkLook = 'text-accent underline underline-offset-4'

/** Shows which tools are left out of requests from a reply on, and links to where the user can change this. */
export function LeftOutNotice({ leftOut }: { readonly leftOut: LeftOutTools }) {
  return (
    <aside aria-label="Tools left out" className="text-sm text-muted">
      <p dir="auto" className="wrap-anywhere">
        <InertText>{describeLeftOut(leftOut)}</InertText> {describeOffered(leftOut)}{' '}
        {leftOut.connectors.length > 0 && (
          <Link to="/settings/connectors" className={`${linkLook} whitespace-nowrap`}>
            Manage connectors
          </Link>
        )}
      </p>
      {leftOut.connectors.length > 0 && (
        <Disclosure label="Which tools">
          <p>
            Tools that you have allowed, and tools that were used in the last 30 days, are kept first. To make
            room, block tools that you do not need, or disconnect their connector.
          </p>
          <ul className="mt-2 flex flex-col gap-1.5">
            {leftOut.connectors.map(({ server, count, tools }) => (
              <li key={server} className="wrap-anywhere">
                <Link
                  to={`/settings/connectors?${new URLSearchParams({ configure: server })}`}
                  className={linkLook}
                >
                  <InertText>{server}</InertText>
                </Link>
                {': '}
                <InertText>{tools.join(', ')}</InertText>
                {count > tools.length && ` and ${count - tools.length} more`}
              </li>
            ))}
          </ul>
        </Disclosure>
      )}
    </aside>
  )
}
