import type { ElicitationPage } from '@yonder/contract/elicitation'
import { ExternalLink, TriangleAlert } from 'lucide-react'
import { useState } from 'react'
import { Button, ButtonLink } from '../../../ui/button/button.tsx'
import { InertText } from '../../../ui/inert-text.tsx'
import { ToolText } from '../../../ui/tool-text.tsx'
import { ElicitationIntro, useAnswer, type ElicitationProps } from './use-answer.tsx'

export interface PageRequestProps extends ElicitationProps {
  readonly page: ElicitationPage
}

/**
 * Asks the user to open a page for a running call: shows which connector asks, the origin, and the whole address.
 * Nothing is requested from the page before the user opens it.
 */
export function PageRequest({ page, ...props }: PageRequestProps) {
  const { message, elicitation } = props
  const [isOpened, setOpened] = useState(false)
  const { region, pending, send, failure, declineButton } = useAnswer<HTMLElement>(props)
  const handleOpen = () => {
    setOpened(true)
    // Without `needs_continue` the call waits for the page. With it, the call has failed; 'Continue' makes it again.
    if (!page.needs_continue) send({ action: 'accept' })
  }
  const mayContinue = isOpened && page.needs_continue
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- the controls inside receive the keys
    <section
      ref={region}
      aria-label={`Page requested by ${message.server}`}
      className="flex flex-col gap-3 border-t border-line p-3"
      onKeyDown={(event) => {
        // Escape pressed here must not stop the reply.
        if (event.key === 'Escape') event.preventDefault()
      }}
    >
      <ElicitationIntro
        server={message.server}
        asks="asks you to open a page:"
        message={elicitation.message}
      />
      <PageAddress address={page.address} />
      <p className="text-xs text-muted">
        {mayContinue
          ? 'Finish on the page, then continue here.'
          : 'The page opens in a new tab. Open it only if you expected this request and know the site.'}
      </p>
      {failure}
      <div className="flex flex-wrap gap-2 max-sm:*:flex-auto max-sm:*:px-2">
        {mayContinue && (
          <Button
            look="primary"
            busy={pending === 'accept'}
            disabled={pending === 'decline'}
            onClick={() => send({ action: 'accept' })}
          >
            Continue
          </Button>
        )}
        <ButtonLink
          href={page.address}
          target="_blank"
          rel="noopener noreferrer"
          look={mayContinue ? 'quiet' : 'primary'}
          onClick={handleOpen}
          onAuxClick={(event) => {
            // The middle button opens the page too.
            if (event.button === 1) handleOpen()
          }}
        >
          {mayContinue ? 'Open again' : 'Open page'}
          <ExternalLink size={14} aria-hidden className="shrink-0" />
        </ButtonLink>
        {declineButton}
      </div>
    </section>
  )
}

/** Shows the origin of an address, the whole address, and warnings about it. */
function PageAddress({ address }: { readonly address: string }) {
  const { origin, protocol, hostname } = new URL(address)
  const isLocal = /^(localhost|127\.[\d.]+|\[::1\])$/.test(hostname)
  return (
    <div className="flex flex-col gap-1.5">
      <p className="text-base font-semibold wrap-anywhere">{origin}</p>
      <ToolText label="Address" height="low">
        <InertText>{address}</InertText>
      </ToolText>
      {hostname.split('.').some((part) => part.startsWith('xn--')) && (
        <Warning>
          The name of this site contains letters of other scripts, which can make it look like another site.
        </Warning>
      )}
      {protocol === 'http:' && !isLocal && (
        <Warning>This page is not encrypted. Others in the network can read what you enter there.</Warning>
      )}
    </div>
  )
}

function Warning({ children }: { readonly children: string }) {
  return (
    <p className="flex items-start gap-2 text-sm text-warning">
      <TriangleAlert size={16} aria-hidden className="mt-0.5 shrink-0" />
      {children}
    </p>
  )
}
