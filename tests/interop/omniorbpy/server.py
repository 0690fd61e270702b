# SPDX-License-Identifier: Apache-2.0
"""The omniORBpy server of the interoperability suite: prints its IOR and serves until shutdown() or the end of its life."""
import PortableServer__POA
from omniORB import PortableServer
from program import callback_poa, init_orb, parse_arguments, serve
from suite_servant import SuiteServant


class Forwarder(PortableServer__POA.ServantActivator):
    """Answers every request of its adapter with a location forward."""

    def __init__(self, target):
        self.target = target

    def incarnate(self, _oid, _poa):
        raise PortableServer.ForwardRequest(self.target)

    def etherealize(self, *_):
        pass


def main():
    options = parse_arguments()
    orb = init_orb(options)
    root = orb.resolve_initial_references("RootPOA")
    manager = root._get_the_POAManager()
    forwarding = root.create_POA("forwarding", manager, [
        root.create_id_assignment_policy(PortableServer.USER_ID),
        root.create_request_processing_policy(PortableServer.USE_SERVANT_MANAGER)])
    own = callback_poa(orb, root, options)
    suite = SuiteServant(orb, own, forwarding)
    reference = own.id_to_reference(own.activate_object(suite))
    manager.activate()  # before it is asked what the servant manager is
    forwarding.set_servant_manager(Forwarder(reference)._this())
    serve(orb, reference)


main()
